//! The target is what it is taken for.

use crate::case::Case;
use crate::runner::topic;

topic!("target": has_the_expected_capabilities);

/// The capabilities found are those written down for the target, its version is the one it is named by.
async fn has_the_expected_capabilities(case: &Case) {
    let server = case.server().await;
    let found = server.capabilities();
    let expected = &case.target.expected;
    assert_eq!(found.version.to_string(), case.target.version);
    assert_eq!(found.write_pane, expected.write_pane);
    assert_eq!(found.read_pane, expected.read_pane);
    assert_eq!(server.backend(), case.target.backend);
    assert_eq!(server.transport(), case.target.transport);
    assert!(server.is_owned());
}
