//! Texts that nest, around the depths where stacks and limits decide.

use super::dice::Dice;

/// What stands before, in the middle and behind, the outer two repeated.
const SHAPES: &[(&str, &str, &str, &str)] = &[
    ("SELECT ", "(", "1", ")"),
    ("SELECT ", "1+", "1", ""),
    ("SELECT ", "'a'||", "'a'", ""),
    ("SELECT ", "NOT ", "true", ""),
    ("SELECT ", "- ", "1", ""),
    ("SELECT 1", "::int", "", ""),
    ("", "SELECT 1 UNION ", "SELECT 1", ""),
    ("SELECT 1 FROM app.products p", " JOIN app.products q ON true", "", ""),
    ("SELECT ", "CASE WHEN ", "true", " THEN true END"),
    ("SELECT ", "(SELECT ", "1", ")"),
    ("SELECT 1 WHERE ", "EXISTS (SELECT 1 WHERE ", "true", ")"),
    ("", "SELECT * FROM (", "SELECT 1", ") a"),
    ("SELECT ", "ARRAY[", "1", "]"),
    ("SELECT ", "lower(", "'a'", ")"),
    ("SELECT id FROM app.products WHERE ", "id = 1 AND ", "true", ""),
    ("SELECT id FROM app.products WHERE ", "id = 1 OR ", "true", ""),
    ("SELECT 1 IN (", "1,", "1", ")"),
    ("", "/*", "SELECT 1", "*/"),
    ("", "WITH a AS (", "SELECT 1", ") SELECT 1"),
];

/// One of the shapes, as deep as something may be sensitive to.
pub fn text(dice: &mut Dice) -> Vec<u8> {
    let Some((lead, before, middle, after)) = dice.one_of(SHAPES).copied() else { return Vec::new() };
    let depth = match dice.below(8) {
        0..3 => dice.between(1, 40),
        3..5 => dice.between(41, 130),
        5 => dice.between(300, 700),
        6 => dice.between(990, 1010),
        _ => dice.between(1_500, 3_000),
    };
    // In half of them the last bracket is missing, or one too many.
    let closed = match dice.below(4) {
        0 => depth.saturating_sub(1),
        1 => depth + 1,
        _ => depth,
    };
    format!("{lead}{}{middle}{}", before.repeat(depth), after.repeat(closed)).into_bytes()
}
