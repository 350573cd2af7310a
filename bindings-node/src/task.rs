//! Checks on a thread of Node's pool, so that the event loop turns meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use haltsql::boundary::{Caller, Error, ErrorCode};
use napi::{Env, Task};
use napi_derive::napi;

use crate::ours::{Result, guarded};
use crate::text::{Answer, Text, answer, bytes_of};

/// Tells checks that wait for a thread not to begin.
#[napi]
#[derive(Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
}

#[napi]
impl Stop {
    /// One that has not been asked yet.
    #[napi(constructor)]
    pub fn new() -> Self {
        Stop::default()
    }

    /// Asks.
    #[napi(catch_unwind)]
    pub fn stop(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }
}

/// Texts and who asks about them, copied out of JavaScript.
pub struct Checks {
    caller: Caller,
    texts: Vec<Vec<u8>>,
    threads: u32,
    stop: Arc<AtomicBool>,
}

impl Checks {
    /// # Errors
    /// Those of [`bytes_of`].
    pub(crate) fn of(caller: Caller, texts: Vec<Text>, threads: u32, stop: Option<&Stop>) -> Result<Self> {
        let texts = texts.into_iter().map(|text| Ok(bytes_of("a text", text)?.to_vec())).collect::<Result<_>>()?;
        let stop = stop.map_or_else(Arc::default, |stop| Arc::clone(&stop.asked));
        Ok(Checks { caller, texts, threads, stop })
    }

    /// The verdicts' JSON, in the order of the texts.
    ///
    /// # Errors
    /// Those of a check; [`ErrorCode::Argument`] where nobody waits for the answer any more.
    pub(crate) fn now(&self) -> Result<Vec<Answer>> {
        guarded(|| {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::new(ErrorCode::Argument, "the check was aborted before it began"));
            }
            #[cfg(haltsql_weaken)]
            self.texts.iter().for_each(|text| haltsql::weaken::panic_if_asked("task", text));
            let texts: Vec<&[u8]> = self.texts.iter().map(Vec::as_slice).collect();
            let verdicts = self.caller.check_many(&texts, usize::try_from(self.threads).unwrap_or(1))?;
            Ok(verdicts.into_iter().map(answer).collect())
        })
    }
}

impl Task for Checks {
    type Output = Vec<Answer>;
    type JsValue = Vec<Answer>;

    fn compute(&mut self) -> Result<Vec<Answer>> {
        self.now()
    }

    fn resolve(&mut self, _: Env, verdicts: Vec<Answer>) -> Result<Vec<Answer>> {
        Ok(verdicts)
    }
}
