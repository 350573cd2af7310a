//! A loaded policy and a prepared caller, as classes over the boundary's handles. An object of JavaScript belongs to one thread,
//! so that closing it needs no lock; a check on another thread holds a handle of its own.

use std::cell::RefCell;

use haltsql::boundary::{self, DocumentFormat, Error, ErrorCode};
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

use crate::ours::{Result, thrown};
use crate::task::{Checks, Stop};
use crate::text::{Answer, Text, answer, bytes_of};

/// A loaded policy.
#[napi]
pub struct Policy {
    handle: RefCell<Option<boundary::Policy>>,
}

#[napi]
impl Policy {
    /// Loads a document. `format`: the number of a [`DocumentFormat`].
    #[napi(factory, catch_unwind)]
    pub fn load(document: Text, format: u32, name: Text) -> Result<Self> {
        let format = DocumentFormat::from_number(format)
            .ok_or_else(|| thrown(Error::new(ErrorCode::Argument, "the format has no such number")))?;
        let (document, name) = (bytes_of("the policy", document)?, bytes_of("the policy's name", name)?);
        let loaded = boundary::Policy::load(&document, format, &String::from_utf8_lossy(&name)).map_err(thrown)?;
        Ok(Policy { handle: RefCell::new(Some(loaded)) })
    }

    /// The policy's name.
    #[napi(catch_unwind)]
    pub fn name(&self) -> Result<String> {
        Ok(self.open()?.name().to_owned())
    }

    /// The policy's hash.
    #[napi(catch_unwind)]
    pub fn version(&self) -> Result<String> {
        Ok(self.open()?.version().to_owned())
    }

    /// `enforce` or `shadow`.
    #[napi(catch_unwind)]
    pub fn mode(&self) -> Result<&'static str> {
        Ok(self.open()?.mode())
    }

    /// The verdict's JSON.
    #[napi(catch_unwind)]
    pub fn check(&self, sql: Text, context: Text) -> Result<Answer> {
        let policy = self.open()?;
        let (sql, context) = (bytes_of("the SQL", sql)?, bytes_of("the context", context)?);
        policy.check(&sql, &context).map(answer).map_err(thrown)
    }

    /// The policy with a context that is read once.
    #[napi(catch_unwind)]
    pub fn for_context(&self, context: Text) -> Result<Caller> {
        let caller = self.open()?.for_context(&bytes_of("the context", context)?).map_err(thrown)?;
        Ok(Caller { handle: RefCell::new(Some(caller)) })
    }

    /// What may be asked, as text.
    #[napi(catch_unwind)]
    pub fn describe_text(&self) -> Result<String> {
        self.open()?.describe_text().map_err(thrown)
    }

    /// What may be asked, as JSON.
    #[napi(catch_unwind)]
    pub fn describe_json(&self) -> Result<String> {
        self.open()?.describe_json().map_err(thrown)
    }

    /// The value for `search_path`.
    #[napi(catch_unwind)]
    pub fn search_path_value(&self) -> Result<String> {
        self.open()?.search_path_value().map_err(thrown)
    }

    /// Where the policy's pin key is, as JSON.
    #[napi(catch_unwind)]
    pub fn pin_key_place(&self) -> Result<String> {
        self.open()?.pin_key_place().map_err(thrown)
    }

    /// Gives the handle back. Twice is harmless.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.handle.take();
    }
}

impl Policy {
    /// The handle.
    ///
    /// # Errors
    /// [`ErrorCode::Closed`].
    pub(crate) fn open(&self) -> Result<boundary::Policy> {
        self.handle.borrow().clone().ok_or_else(|| thrown(Error::new(ErrorCode::Closed, "the policy was closed")))
    }
}

/// A policy with a context that was read once.
#[napi]
pub struct Caller {
    handle: RefCell<Option<boundary::Caller>>,
}

#[napi]
impl Caller {
    /// The verdict's JSON.
    #[napi(catch_unwind)]
    pub fn check(&self, sql: Text) -> Result<Answer> {
        let caller = self.open()?;
        caller.check(&bytes_of("the SQL", sql)?).map(answer).map_err(thrown)
    }

    /// The verdicts' JSON, in the order of the texts, made by that many threads.
    #[napi(catch_unwind)]
    pub fn check_many(&self, texts: Vec<Text>, threads: u32) -> Result<Vec<Answer>> {
        Checks::of(self.open()?, texts, threads, None)?.now()
    }

    /// The same as [`Caller::check_many`] on a thread of Node's pool: a promise.
    #[napi(catch_unwind)]
    pub fn check_many_async(&self, texts: Vec<Text>, threads: u32, stop: Option<&Stop>) -> Result<AsyncTask<Checks>> {
        Ok(AsyncTask::new(Checks::of(self.open()?, texts, threads, stop)?))
    }

    /// A handle of its own, which stays open when this one is closed.
    #[napi(catch_unwind)]
    pub fn again(&self) -> Result<Caller> {
        Ok(Caller { handle: RefCell::new(Some(self.open()?)) })
    }

    /// Gives the handle back. Twice is harmless.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.handle.take();
    }
}

impl Caller {
    fn open(&self) -> Result<boundary::Caller> {
        self.handle.borrow().clone().ok_or_else(|| thrown(Error::new(ErrorCode::Closed, "the caller was closed")))
    }
}
