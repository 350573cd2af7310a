//! What a statement gave back: rows as the driver has them and as text, and the receipt of the same run.

use haltsql::Verdict;
use haltsql::receipt::Receipt;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, Type};

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultColumn {
    /// Its name, as the server said it; names may repeat.
    pub name: String,
    /// Its type, as the driver knows it.
    pub ty: Type,
}

/// The result of one statement.
#[derive(Debug)]
pub struct ResultSet {
    pub(crate) verdict: Verdict,
    pub(crate) receipt: Receipt,
    pub(crate) columns: Vec<ResultColumn>,
    /// Each column is followed by its text.
    pub(crate) rows: Vec<Row>,
    pub(crate) texts: Vec<Vec<Option<String>>>,
}

impl ResultSet {
    /// The verdict that let it run.
    #[must_use]
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The receipt of this run.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// The columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[ResultColumn] {
        &self.columns
    }

    /// The rows as PostgreSQL's own text, `None` for NULL.
    #[must_use]
    pub fn rows(&self) -> &[Vec<Option<String>>] {
        &self.texts
    }

    /// One value as a Rust type, by position: the driver's conversions.
    ///
    /// # Errors
    /// No such row or column, or a type that does not fit.
    pub fn get<'a, T: FromSql<'a>>(&'a self, row: usize, column: usize) -> Result<T, Box<dyn std::error::Error>> {
        let row = self.rows.get(row).ok_or("there is no such row")?;
        if column >= self.columns.len() {
            return Err("there is no such column".into());
        }
        Ok(row.try_get(column * 2)?)
    }

    /// The rows of a read, the rows that a write touched.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        self.receipt.row_count()
    }

    /// There were more than the policy lets through.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.receipt.truncated()
    }
}
