//! What a sanitized program is told, and its reports.

use std::path::Path;

/// Leaks of tmux itself that are known, each with its reason.
const KNOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/known-leaks.txt");

/// Variables for a sanitized program; without `leaks` for one whose exit status must be its own.
pub fn environment(folder: &Path, leaks: bool) -> [(&'static str, String); 3] {
    let log = folder.join("report").display().to_string();
    [
        (
            "ASAN_OPTIONS",
            format!(
                "detect_leaks={}:exitcode=99:log_path={log}",
                u8::from(leaks)
            ),
        ),
        (
            "LSAN_OPTIONS",
            format!("suppressions={KNOWN}:print_suppressions=0"),
        ),
        (
            "UBSAN_OPTIONS",
            format!("print_stacktrace=1:halt_on_error=1:exitcode=99:log_path={log}"),
        ),
    ]
}

/// Returns what was reported, or nothing.
pub fn reports(folder: &Path) -> Option<String> {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("report.") {
            text += &std::fs::read_to_string(entry.path()).unwrap_or_default();
        }
    }
    (!text.is_empty()).then_some(text)
}
