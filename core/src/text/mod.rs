//! The SQL text as bytes: what can be refused before the parser sees it.
