//! The scripts that people show: quotes, a heredoc, JSON, a last command that fails.

use crate::case::{Case, exits, run, same, without_marks};
use crate::runner::topic;

topic!("demo":
    script_with_quotes_a_heredoc_and_json_is_byte_exact,
    script_file_through_the_command_is_byte_exact,
);

const SCRIPT: &str = r#"echo 'single quotes: $HOME `date` "and" \n'
echo "double quotes: it's $((6 * 7)) \"and\" \\"
cat <<'EOF'
	a tab, $x, a `backtick`, it's "quoted", C:\\Users, 100% #
EOF
python3 - <<'PY'
import json
print(json.dumps({"text": "a \"b\" 'c' \\ \u00e9 \u2713", "list": [1, 2.5, None, True], "deep": {"a": {}}}, indent=2))
print(json.dumps({"text": "é ✓ 中"}, ensure_ascii=False))
PY
for word in 'a b' "c'd" e\ f; do printf '<%s>' "$word"; done; echo
(exit 3)
"#;

const EXPECTED: &str = r#"single quotes: $HOME `date` "and" \n
double quotes: it's 42 "and" \
	a tab, $x, a `backtick`, it's "quoted", C:\\Users, 100% #
{
  "text": "a \"b\" 'c' \\ \u00e9 \u2713",
  "list": [
    1,
    2.5,
    null,
    true
  ],
  "deep": {
    "a": {}
  }
}
{"text": "é ✓ 中"}
<a b><c'd><e f>
"#;

/// The library: output, status, duration, and what the script changed lasts.
async fn script_with_quotes_a_heredoc_and_json_is_byte_exact(case: &Case) {
    let window = case.window().await;
    for _ in 0..3 {
        let output = run(&window, SCRIPT).await;
        same(&output.text, EXPECTED);
        same(without_marks(&output.raw), EXPECTED.replace('\n', "\r\n"));
        assert_eq!(output.status(), Some(3));
        assert!(output.record.duration.is_some());
    }
    assert_eq!(exits(&window, "echo \"$word\"", 0).await, "e f\n");
}

/// The command: nothing but the output on standard output, the script's status as its own.
async fn script_file_through_the_command_is_byte_exact(case: &Case) {
    let _server = case.server().await;
    let path = case.write("script", SCRIPT);
    // It makes the window.
    for input in [path.to_str().unwrap(), "-"] {
        let finished = case
            .amux(&["run", "new", "-f", input], SCRIPT.as_bytes())
            .await;
        same(&finished.out, EXPECTED);
        assert_eq!((finished.status, &*finished.err), (Some(3), ""));
    }
    let finished = case
        .amux(&["run", "new", "--raw", "-f", "-"], SCRIPT.as_bytes())
        .await;
    same(without_marks(&finished.out), EXPECTED.replace('\n', "\r\n"));
}
