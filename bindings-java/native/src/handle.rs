//! Handles: what a Java object keeps of a policy or a caller.
//!
//! Receives a value, returns the address of its own allocation as Java's `long`. When it is borrowed and when it is freed is the
//! business of Handle.java alone. Must never be 0: Java takes that for none.

use jni::sys::jlong;

/// Gives a value away: it lives until [`freed`].
pub(crate) fn given<T: Send + Sync>(value: T) -> jlong {
    Box::into_raw(Box::new(value)).expose_provenance() as jlong
}

/// The value of a handle.
///
/// # Safety
/// The handle is from [`given`] with the same `T`, and is not freed while the reference is in use.
pub(crate) unsafe fn borrowed<'a, T: Send + Sync>(handle: jlong) -> &'a T {
    // SAFETY: by this function's contract the allocation is there, holds a `T`, and is only read.
    unsafe { &*std::ptr::with_exposed_provenance::<T>(handle as usize) }
}

/// Drops the value of a handle.
///
/// # Safety
/// The handle is from [`given`] with the same `T`, is in use nowhere, and was not freed before.
pub(crate) unsafe fn freed<T: Send + Sync>(handle: jlong) {
    // SAFETY: by this function's contract this is the one owner of the allocation.
    drop(unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<T>(handle as usize)) });
}
