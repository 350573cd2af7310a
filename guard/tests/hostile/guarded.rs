//! The same statements through the guard: nothing is sent that the verifier did not allow.

use haltsql_guard::{Error, ResultSet, TransactionOptions};

use super::data::{Case, Outcome};
use super::sealed::{Sealed, context, is_foreign};

pub fn run(sealed: &Sealed, case: &Case) -> Outcome {
    let ran = sealed.runtime.block_on(async {
        let mut transaction =
            sealed.guard.transaction(context("acme"), TransactionOptions { writable: case.writable }).unwrap();
        let ran = transaction.query(&case.sql).await;
        transaction.finish().await.unwrap();
        ran
    });
    let outcome = match &ran {
        Ok(result) if foreign(result, "acme") => Outcome::Leak,
        Ok(_) => Outcome::Harmless,
        Err(Error::Denied(_)) => Outcome::Denied,
        // The guard of the suite shows errors whole: what they say counts.
        Err(error) if is_foreign(&format!("{error:?}"), "acme") => Outcome::Leak,
        Err(_) => Outcome::Refused,
    };
    let tenant = sealed.next();
    let own = sealed.guard.run(context(tenant), "SELECT name FROM app.customers WHERE tenant_id = $1");
    let next = match sealed.runtime.block_on(own) {
        Ok(own) => (own.rows().len() != 4 || foreign(&own, tenant)).then_some(Outcome::Next),
        Err(_) => Some(Outcome::NextRefused),
    };
    if case.writable && ran.is_ok() {
        sealed.restore();
    }
    next.unwrap_or(outcome)
}

fn foreign(result: &ResultSet, tenant: &str) -> bool {
    result.rows().iter().flatten().flatten().any(|text| is_foreign(text, tenant))
}
