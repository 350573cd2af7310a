//! Many texts for one caller, on as many threads as the host lends.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Caller, Error};

impl Caller {
    /// The verdicts on `texts`, in their order. `threads`: how many check at the same time, this one included; one thread is
    /// made for each of the others and ended before this returns. The verdicts are the same for any number of them.
    ///
    /// # Errors
    /// As [`Caller::check`].
    pub fn check_many(&self, texts: &[&[u8]], threads: usize) -> Result<Vec<String>, Error> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done: Vec<(usize, Result<String, Error>)> = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(text) = texts.get(at) else { return done };
                done.push((at, self.check(text)));
            }
        };
        let helpers = threads.min(texts.len()).saturating_sub(1);
        let mut done = std::thread::scope(|scope| {
            let make = || std::thread::Builder::new().name("haltsql-many".to_owned()).spawn_scoped(scope, work);
            // A system that gives no more threads makes this slower and nothing else.
            let helpers: Vec<_> = (0..helpers).map_while(|_| make().ok()).collect();
            let mut done = work();
            for helper in helpers {
                done.extend(helper.join().map_err(|_| Error::internal())?);
            }
            Ok::<_, Error>(done)
        })?;
        done.sort_unstable_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, answer)| answer).collect()
    }
}
