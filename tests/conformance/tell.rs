//! What there was when a trial failed.

use std::time::Duration;

use amux::{Range, ReadOptions, Render, Server};

use crate::case::Case;

/// How much of a stream or a log is shown.
const TAIL: usize = 3000;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The state of each pane, its records and the end of its stream, and the messages of the server.
pub async fn server(case: &Case, server: &Server) -> String {
    let mut text = format!("server {}\n", server.pid());
    text += &match case.is_stock() {
        true => recorded(case).await + &followed(server).await,
        false => kept(case).await,
    };
    let messages = tokio::time::timeout(PATIENCE, case.messages()).await;
    let messages = messages.unwrap_or_else(|_| "no answer".to_owned());
    // The server tells the newest first.
    let messages: Vec<_> = messages.lines().rev().collect();
    text + "messages:\n    " + &tail(&messages.join("\n"))
}

/// What a patched server keeps of its panes.
async fn kept(case: &Case) -> String {
    let mut text = String::new();
    let panes = ask(case, &["list-panes", "-a", "-F", "#{pane_id}"]).await;
    for pane in panes.lines().filter(|line| line.starts_with('%')) {
        let state = "#{session_name}:#{window_name} #{pane_command_state} input=#{pane_input_mode} \
            front=#{pane_foreground} empty=#{pane_prompt_empty} ours=#{pane_integrated} \
            nested=#{pane_nested} id=#{pane_command_id} total=#{pane_stream_total}";
        let state = ask(case, &["display-message", "-p", "-t", pane, state]).await;
        let records = ask(case, &["read-pane", "-l", "-t", pane]).await;
        let stream = ask(case, &["read-pane", "-r", "-t", pane]).await;
        text += &format!("{pane} {state}  records:\n    {records}\n  stream:\n    {stream}\n");
    }
    text
}

/// What shells and controllers have left on the panes of a stock server, as it was before anybody looked.
async fn recorded(case: &Case) -> String {
    let format = "#{session_name}:#{window_name} id=#{@amux_id} turn=#{@amux_turn} \
        input=#{@amux_input} prompt=#{@amux_prompt} hooked=#{@amux_hooked} owner=#{@amux_owner}";
    ask(case, &["list-panes", "-a", "-F", format]).await + "\n"
}

/// What this process knows of the panes of a stock server.
async fn followed(server: &Server) -> String {
    let mut text = String::new();
    let windows = answer(server.windows()).await;
    let Ok(windows) = windows else {
        return format!("windows: {windows:?}\n");
    };
    for info in windows {
        let full_name = format!("{}:{}", info.session, info.name);
        let window = server
            .session(&info.session)
            .and_then(|session| session.window(&info.name));
        let Ok(window) = window else {
            text += &format!("{full_name} {:?}\n", info.state);
            continue;
        };
        let records = answer(window.records()).await;
        let unread = ReadOptions::new(Range::Unread).render(Render::Raw);
        let stream = match answer(window.read(unread)).await {
            Ok(chunk) => tail(&String::from_utf8_lossy(&chunk.bytes)),
            Err(error) => error,
        };
        let state = info.state;
        text += &format!(
            "{full_name} {state:?}\n  records:\n    {records:?}\n  stream:\n    {stream}\n"
        );
    }
    text
}

/// What comes of a call, in so much time.
async fn answer<T>(call: impl Future<Output = amux::Result<T>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, call).await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("no answer".to_owned()),
    }
}

async fn ask(case: &Case, arguments: &[&str]) -> String {
    let Ok(finished) = tokio::time::timeout(PATIENCE, case.tmux(arguments)).await else {
        return "no answer".to_owned();
    };
    tail(&(String::from_utf8_lossy(&finished.out) + &*finished.err))
}

/// The end of a text, indented, its control characters made visible.
fn tail(text: &str) -> String {
    let from = text.char_indices().rev().nth(TAIL).map_or(0, |(at, _)| at);
    let text: String = text[from..]
        .chars()
        .flat_map(|c| match c {
            '\n' => vec!['\n'],
            c if c.is_control() => c.escape_default().collect(),
            c => vec![c],
        })
        .collect();
    text.replace('\n', "\n    ")
}
