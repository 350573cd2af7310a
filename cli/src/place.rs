//! A byte offset as line and column, as editors count: columns in UTF-16 code units.

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1. A line ends with a line feed.
    pub line: usize,
    /// From 1, in UTF-16 code units.
    pub column: usize,
    /// How many bytes and UTF-16 code units the character there has; 0 at the end of the text.
    pub size: (usize, usize),
}

impl Place {
    /// The place of a byte. Bytes that are not UTF-8 count as the character that takes their place.
    pub fn of(sql: &[u8], offset: u32) -> Self {
        let at = usize::try_from(offset).unwrap_or(usize::MAX).min(sql.len());
        let (before, after) = sql.split_at_checked(at).unwrap_or((sql, &[]));
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let own = String::from_utf8_lossy(before.get(line..).unwrap_or_default());
        let next = after.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        let size = match next {
            Some(next) => (next.len_utf8(), next.len_utf16()),
            None => (after.len().min(1), after.len().min(1)),
        };
        Place {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: 1 + own.chars().map(char::len_utf16).sum::<usize>(),
            size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(sql: &[u8], offset: u32) -> (usize, usize, (usize, usize)) {
        let Place { line, column, size } = Place::of(sql, offset);
        (line, column, size)
    }

    #[test]
    fn columns_count_utf16_code_units() {
        let text = "a\n'ü😀'x\r\ny".as_bytes();
        assert_eq!(place(text, 0), (1, 1, (1, 1)));
        assert_eq!(place(text, 2), (2, 1, (1, 1)));
        assert_eq!(place(text, 3), (2, 2, (2, 1)));
        assert_eq!(place(text, 5), (2, 3, (4, 2)));
        assert_eq!(place(text, 10), (2, 6, (1, 1)));
        assert_eq!(place(text, 13), (3, 1, (1, 1)));
        assert_eq!(place(text, 14), (3, 2, (0, 0)));
        assert_eq!(place(b"ab\xffc", 2), (1, 3, (1, 1)));
        assert_eq!(place(b"", 0), (1, 1, (0, 0)));
    }
}
