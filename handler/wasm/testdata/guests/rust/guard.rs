//! A hook without the standard library: it blocks commands with "rm -rf" in them,
//! and says so. Build it with
//!
//!     rustc --edition 2021 --target wasm32-unknown-unknown --crate-type cdylib -O -C panic=abort -C strip=symbols -o guard.wasm guard.rs
#![no_std]

use core::cell::UnsafeCell;

#[panic_handler]
fn stop(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

#[link(wasm_import_module = "hookway")]
extern "C" {
    /// A line for the hook's log.
    fn log(at: *const u8, len: usize);
}

/// Where events are written, one at a time: how many pages there are, and where
/// they begin. The memory grows when an event is larger than ever.
struct Place(UnsafeCell<(usize, usize)>);

// Nobody else is in this module while it is called.
unsafe impl Sync for Place {}

static PLACE: Place = Place(UnsafeCell::new((0, 0)));

#[no_mangle]
pub extern "C" fn hookway_alloc(size: usize) -> *mut u8 {
    let place = unsafe { &mut *PLACE.0.get() };
    let pages = size.div_ceil(1 << 16);
    if place.0 < pages {
        match core::arch::wasm32::memory_grow(0, pages) {
            usize::MAX => return core::ptr::null_mut(), // there is no room
            before => *place = (pages, before << 16),
        }
    }
    place.1 as *mut u8
}

static BLOCK: &str = r#"{"action":"block","reason":"rm -rf is not run here"}"#;

#[no_mangle]
pub extern "C" fn hookway_handle(at: *const u8, len: usize) -> u64 {
    let event = unsafe { core::slice::from_raw_parts(at, len) };
    if !event.windows(6).any(|w| w == b"rm -rf") {
        return 0; // no opinion
    }
    let said = "it asks for rm -rf";
    unsafe { log(said.as_ptr(), said.len()) };
    (BLOCK.as_ptr() as u64) << 32 | BLOCK.len() as u64
}
