//! A pane of stock tmux, and the options by which controllers and shells leave
//! facts on it.

use std::fmt;
use std::path::PathBuf;

use crate::error::Result;
use crate::task::Facts;
use crate::wire::record::Fields;
use crate::wire::task::take_facts;

/// Format of a pane. Options have what others wrote there, so they are quoted
/// and read with care.
///
/// | option | set by | value |
/// |---|---|---|
/// | `@amux_id` | each submission | its id |
/// | `@amux_input` | each input | when, in seconds since 1970 |
/// | `@amux_turn` | each input | what no other input has: process id and a number |
/// | `@amux_prompt` | the shell's hook, or who reads the pipe | status, time, pipe statuses; see [`Prompt`] |
/// | `@amux_hooked` | the shell's hook | `paste` or `plain`: with bracketed paste or without |
/// | `@amux_nonce` | who creates the pane, and the shell's hook | the `aid=` of its marks |
/// | `@amux_owner` | who opens the pipe | process id and random digits |
pub(crate) const PANE: &str = concat!(
    "#{pane_id} #{pane_pid} #{q:pane_tty} #{pane_dead} #{pane_pipe} #{pane_input_off} ",
    "#{session_activity} #{session_last_attached} ",
    "#{q:@amux_id} #{q:@amux_input} #{q:@amux_turn} #{q:@amux_prompt} #{q:@amux_hooked} #{q:@amux_owner} ",
    "#{q:@amux_nonce}#{q:pane_nonce}"
);

/// How the mark begins that stands in `@amux_prompt` while a prompt is being
/// recorded.
const RECORDING: &str = "recording ";

/// What tmux tells of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pane {
    /// Its id and process: another pane, or a respawned one, has others.
    pub(crate) key: (String, u32),
    pub(crate) tty: PathBuf,
    pub(crate) dead: bool,
    pub(crate) piped: bool,
    pub(crate) input_off: bool,
    /// When somebody last attached to its session or typed there, in seconds
    /// since 1970.
    pub(crate) activity: u64,
    /// When a client was last attached to its session, if one ever was.
    pub(crate) last_attached: Option<u64>,
    /// The newest submission of any controller.
    pub(crate) last_id: u64,
    /// When that, or any other input, was sent.
    pub(crate) last_input: Option<u64>,
    /// What tells it from others; empty before the first, `None` where somebody
    /// else has written there.
    pub(crate) turn: Option<String>,
    /// The prompt that the shell has shown since.
    pub(crate) prompt: Option<Prompt>,
    /// The shell is at a prompt that it is about to record.
    pub(crate) recording: bool,
    pub(crate) hooked: Hooked,
    /// The shell that said so. Where it has ended, the options tell of another
    /// shell than the pane's.
    pub(crate) hooked_by: Option<u32>,
    pub(crate) owner: String,
    pub(crate) nonce: String,
}

/// Whether the hook has run in a pane, and how the shell takes texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hooked {
    /// Not yet, or never.
    No,
    /// Yes; the shell does not ask for bracketed paste.
    Plain,
    /// Yes; it does.
    Paste,
}

/// A prompt as the hook records it: `0 1790000000 3,0`, `-` where no command
/// ran before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// Status of the command before it; `None` at the first prompt.
    pub(crate) status: Option<u8>,
    /// When it was shown, in seconds since 1970.
    pub(crate) time: u64,
    pub(crate) pipe_statuses: Vec<u8>,
}

impl Prompt {
    /// Anybody may write the option: what the hook does not write, the mark of
    /// a prompt that is being recorded too, is no prompt.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let status = match words.next()? {
            "-" => None,
            word => Some(word.parse().ok()?),
        };
        let time = words.next()?.parse().ok()?;
        let pipe: Option<Vec<u8>> = match words.next() {
            None | Some("") => Some(Vec::new()),
            Some(list) => list.split(',').map(|n| n.parse().ok()).collect(),
        };
        let known = words.next().is_none();
        known.then_some(Self {
            status,
            time,
            pipe_statuses: pipe?,
        })
    }
}

/// As the hook records it.
impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => write!(f, "{status} {}", self.time)?,
            None => write!(f, "- {}", self.time)?,
        }
        let mut separator = ' ';
        for status in &self.pipe_statuses {
            write!(f, "{separator}{status}")?;
            separator = ',';
        }
        Ok(())
    }
}

/// Reads a line of [`PANE`].
pub(crate) fn parse_pane(line: &[u8]) -> Result<Pane> {
    let mut fields = Fields::new(line);
    let pane = take_pane(&mut fields)?;
    fields.end()?;
    Ok(pane)
}

/// Most digits of an id that is taken for one.
pub(crate) const ID_DIGITS: usize = 15;

/// Reads an id. What somebody else wrote there counts as none: it is not as we
/// write it, or so great that the next ones would not fit.
fn id(text: &str) -> u64 {
    match text.bytes().next() {
        Some(b'1'..=b'9') if text.len() <= ID_DIGITS => text.parse().unwrap_or_default(),
        _ => 0,
    }
}

/// Reads the word of an input, as we write it.
fn turn(text: String) -> Option<String> {
    let ours = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    (text.len() <= 2 * ID_DIGITS && text.bytes().all(ours)).then_some(text)
}

/// Format of the word of the newest input, and of what the hook says. With an end, by
/// which it is seen that nothing was cut.
pub(crate) const TURN: &str = "#{q:@amux_turn} #{q:@amux_hooked} .";

/// Reads a line of [`TURN`]: the word, and whether there is a hook. `None` where
/// something was cut.
pub(crate) fn parse_turn(line: &[u8]) -> Option<(Option<String>, bool)> {
    let mut fields = Fields::new(line.trim_ascii_end());
    let newest = turn(fields.text("@amux_turn").ok()?);
    let hooked = fields.text("@amux_hooked").ok()?;
    (fields.text("end").ok()? == ".").then_some((newest, !hooked.is_empty()))
}

fn take_pane(fields: &mut Fields<'_>) -> Result<Pane> {
    let pane = fields.text("pane_id")?;
    // 3.8 tells none once the process has ended.
    let pid: Option<u32> = fields.optional("pane_pid")?;
    let tty = PathBuf::from(fields.text("pane_tty")?);
    let dead = fields.flag("pane_dead")? || pid.is_none();
    let piped = fields.flag("pane_pipe")?;
    let input_off = fields.flag("pane_input_off")?;
    let activity = fields.optional("session_activity")?.unwrap_or_default();
    let last_attached = fields.optional("session_last_attached")?;
    let last_id = id(&fields.text("@amux_id")?);
    let last_input = fields.text("@amux_input")?.parse().ok();
    let turn = turn(fields.text("@amux_turn")?);
    let prompt = fields.text("@amux_prompt")?;
    let hooked = fields.text("@amux_hooked")?;
    let (takes, hooked_by) = hooked.split_once(' ').unwrap_or((&hooked, ""));
    Ok(Pane {
        key: (pane, pid.unwrap_or_default()),
        tty,
        dead,
        piped,
        input_off,
        activity,
        last_attached: last_attached.filter(|&time| time != 0),
        last_id,
        last_input,
        turn,
        prompt: Prompt::parse(&prompt),
        recording: prompt.starts_with(RECORDING),
        hooked: match takes {
            "paste" => Hooked::Paste,
            "plain" => Hooked::Plain,
            _ => Hooked::No,
        },
        hooked_by: hooked_by.parse().ok(),
        owner: fields.text("@amux_owner")?,
        nonce: fields.text("@amux_nonce")?,
    })
}

/// Format of a window, the facts of a task and its active pane.
pub(crate) const WINDOW_PANE: &str = concat!(
    "#{q:session_name} #{q:window_name} ",
    "#{q:@amux_task} #{q:@amux_task_ended} #{q:@amux_task_watch} #{window_activity} ",
    "#{pane_id} #{pane_pid} #{q:pane_tty} #{pane_dead} #{pane_pipe} #{pane_input_off} ",
    "#{session_activity} #{session_last_attached} ",
    "#{q:@amux_id} #{q:@amux_input} #{q:@amux_turn} #{q:@amux_prompt} #{q:@amux_hooked} #{q:@amux_owner} ",
    "#{q:@amux_nonce}#{q:pane_nonce}"
);

/// A window and its active pane.
#[derive(Debug)]
pub(crate) struct WindowPane {
    pub(crate) session: String,
    pub(crate) window: String,
    pub(crate) task: Option<Facts>,
    pub(crate) pane: Pane,
}

/// Reads a line of [`WINDOW_PANE`].
pub(crate) fn parse_window_pane(line: &[u8]) -> Result<WindowPane> {
    let mut fields = Fields::new(line);
    let found = WindowPane {
        session: fields.text("session_name")?,
        window: fields.text("window_name")?,
        task: take_facts(&mut fields)?,
        pane: take_pane(&mut fields)?,
    };
    fields.end()?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::task::TASK;

    #[test]
    fn only_an_id_as_we_write_it_is_one() {
        assert_eq!(id("7"), 7);
        assert_eq!(id("999999999999999"), 999_999_999_999_999);
        for junk in ["", "0", "07", "+7", "-7", "7 ", "x", "1000000000000000"] {
            assert_eq!(id(junk), 0, "{junk:?}");
        }
    }

    #[test]
    fn fresh_pane() {
        let line = b"%1 12 /dev/pts/3 0 0 0 1790000000        abc";
        let pane = parse_pane(line).unwrap();
        assert_eq!(pane.key, ("%1".to_owned(), 12));
        assert_eq!(pane.tty, PathBuf::from("/dev/pts/3"));
        assert_eq!((pane.last_id, pane.prompt), (0, None));
        assert_eq!(pane.hooked, Hooked::No);
        assert_eq!(pane.nonce, "abc");
    }

    #[test]
    fn pane_at_a_prompt() {
        let line =
            br"%1 12 /dev/pts/3 0 1 0 1790000000 1 7 1790000001 12.7 0\ 1790000002\ 1,0 paste\ 12 9.ab n";
        let pane = parse_pane(line).unwrap();
        let prompt = pane.prompt.unwrap();
        assert_eq!(prompt.status, Some(0));
        assert_eq!(prompt.pipe_statuses, [1, 0]);
        assert_eq!((pane.last_id, pane.last_input), (7, Some(1_790_000_001)));
        assert_eq!((pane.hooked, pane.hooked_by), (Hooked::Paste, Some(12)));
        assert_eq!(
            (pane.owner, pane.turn),
            ("9.ab".to_owned(), Some("12.7".to_owned()))
        );
    }

    #[test]
    fn only_a_word_as_we_write_it_is_the_one_of_an_input() {
        let word = |word: &str| Some(word.to_owned());
        assert_eq!(
            parse_turn(b"12.7 paste\\ 12 .\n"),
            Some((word("12.7"), true))
        );
        assert_eq!(parse_turn(b"  .\n"), Some((word(""), false)));
        assert_eq!(parse_turn(b"junk, paste .\n"), Some((None, true)));
        for cut in [&b""[..], b"12.7", b"12.7 paste", b" "] {
            assert_eq!(parse_turn(cut), None);
        }
    }

    #[test]
    fn what_the_hook_does_not_write_is_no_prompt() {
        for text in [
            "",
            "recording 12 3",
            "0",
            "x 1",
            "256 1",
            "0 1 2,x",
            "0 1 2 3",
            "0  1",
        ] {
            assert_eq!(Prompt::parse(text), None, "{text}");
        }
        assert_eq!(Prompt::parse("- 5").unwrap().status, None);
        for text in ["- 5", "0 1790000000", "1 1790000000 1,0,3"] {
            assert_eq!(Prompt::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn formats_agree() {
        assert!(WINDOW_PANE.ends_with(&format!("{TASK}{PANE}")));
    }
}
