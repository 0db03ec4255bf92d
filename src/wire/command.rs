//! Command records and ranges of a pane's stream, as `read-pane` tells them.

use crate::command::{CommandFlags, CommandId, Ended, Record};
use crate::error::Result;
use crate::wire::record::Fields;

/// Format of a command record. Every field is one word or empty.
pub(crate) const RECORD: &str = concat!(
    "#{command_id} #{command_ended} #{command_status} #{command_pipestatus} ",
    "#{command_duration_ns} #{command_flags} ",
    "#{command_output_start} #{command_output_end}"
);

/// Format of the line that `read-pane -F` puts before the bytes. The number of
/// bytes that follow comes last, so that a line cut short is noticed.
pub(crate) const HEADER: &str = concat!(
    "#{command_id} #{command_ended} #{command_status} #{command_pipestatus} ",
    "#{command_duration_ns} #{command_flags} ",
    "#{command_output_start} #{command_output_end} ",
    "#{read_start} #{read_end} #{read_missing} #{read_alternate} #{read_bytes}"
);

/// A range of a pane's stream and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The command that the range belongs to, where it belongs to one.
    pub(crate) record: Option<Record>,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Bytes of the range that were overwritten.
    pub(crate) missing: u64,
    /// What a full-screen program showed was left out.
    pub(crate) alternate: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Reads lines of [`RECORD`].
pub(crate) fn parse_records(output: &[u8]) -> Result<Vec<Record>> {
    output
        .split(|&b| b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| parse_record(line)?.ok_or_else(|| Fields::new(line).error("no command_id")))
        .collect()
}

/// Reads a line of [`RECORD`]; `None` where there is no command.
pub(crate) fn parse_record(line: &[u8]) -> Result<Option<Record>> {
    let mut fields = Fields::new(line);
    let record = take_record(&mut fields)?;
    fields.end()?;
    Ok(record)
}

/// Reads the answer of `read-pane -F` with [`HEADER`]. `None` when not even the
/// header came.
pub(crate) fn parse_reading(output: Vec<u8>) -> Result<Option<Reading>> {
    let Some(end) = output.iter().position(|&b| b == b'\n') else {
        return match output.is_empty() {
            true => Ok(None),
            false => Err(Fields::new(&output).error("no end of line")),
        };
    };
    let mut fields = Fields::new(&output[..end]);
    let record = take_record(&mut fields)?;
    let start = fields.number("read_start")?;
    let stop = fields.number("read_end")?;
    let missing = fields.number("read_missing")?;
    let alternate = fields.flag("read_alternate")?;
    let length: usize = fields.number("read_bytes")?;
    let found = output.len() - end - 1;
    if found != length {
        return Err(fields.error(format_args!("{found} bytes instead of {length} after line")));
    }
    fields.end()?;

    let mut bytes = output;
    bytes.drain(..=end);
    Ok(Some(Reading {
        record,
        start,
        end: stop,
        missing,
        alternate,
        bytes,
    }))
}

/// Takes the fields of [`RECORD`]; `None` where there is no command.
fn take_record(fields: &mut Fields<'_>) -> Result<Option<Record>> {
    let id: Option<u64> = fields.optional("command_id")?;
    let ended = fields.text("command_ended")?;
    let status = fields.optional("command_status")?;
    let pipe_statuses = fields.list("command_pipestatus")?;
    let duration = fields.nanoseconds("command_duration_ns")?;
    let (flags, pane_ended) = parse_flags(&fields.text("command_flags")?);
    let output_start = fields.optional("command_output_start")?;
    let output_end = fields.optional("command_output_end")?;
    let Some(id) = id else {
        return Ok(None);
    };
    let ended = match ended.as_str() {
        "submitted" => Ended::Submitted,
        "running" => Ended::Running,
        "exited" => Ended::Exited,
        "cancelled" => Ended::Cancelled,
        "lost" if pane_ended => Ended::PaneEnded,
        "lost" => Ended::Lost,
        "nothing" => Ended::Nothing,
        other => return Err(fields.error(format_args!("command_ended {other:?}"))),
    };
    Ok(Some(Record {
        id: CommandId::new(id),
        ended,
        status,
        pipe_statuses,
        duration,
        flags,
        output_start,
        output_end,
    }))
}

/// Reads `c-missing,foreign`. Flags that are not known are left alone: a newer
/// server may have more. Also tells whether the pane ended with the command.
fn parse_flags(text: &str) -> (CommandFlags, bool) {
    let mut flags = CommandFlags::default();
    let mut pane_ended = false;
    for name in text.split(',') {
        match name {
            "c-missing" => flags.c_missing = true,
            "alternate" => flags.alternate = true,
            "foreign" => flags.foreign = true,
            "overwritten" => flags.overwritten = true,
            "by-program" => flags.by_program = true,
            "merged" => flags.merged = true,
            "unmarked" => flags.unmarked = true,
            "pane-ended" => pane_ended = true,
            _ => {}
        }
    }
    (flags, pane_ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use std::time::Duration;

    #[test]
    fn reading_with_a_command() {
        let output =
            b"7 exited 0 3,0 1500000 by-program,finished 10 14 10 14 0 0 4\na\nb\n".to_vec();
        let reading = parse_reading(output).unwrap().unwrap();
        assert_eq!(reading.bytes, b"a\nb\n");
        assert_eq!((reading.start, reading.end), (10, 14));
        let record = reading.record.unwrap();
        assert_eq!(record.id, CommandId::new(7));
        assert_eq!((record.ended, record.status), (Ended::Exited, Some(0)));
        assert_eq!(record.pipe_statuses, [3, 0]);
        assert_eq!(record.duration, Some(Duration::from_micros(1500)));
        assert!(record.flags.by_program && !record.flags.foreign);
    }

    #[test]
    fn reading_without_a_command() {
        let reading = parse_reading(b"        0 2 1 1 1\nx".to_vec());
        let reading = reading.unwrap().unwrap();
        assert_eq!(reading.record, None);
        assert_eq!(reading.missing, 1);
        assert!(reading.alternate);
    }

    #[test]
    fn silence_is_no_reading_and_a_cut_answer_is_an_error() {
        assert_eq!(parse_reading(Vec::new()).unwrap(), None);
        for output in [
            &b"7 exited 0"[..],
            b"7 exited 0  5  10 14 10 14 0 0 5\na\nb\n",
            b"7 exited 0  5  10 14 10 14 0 0 3\na\nb\n",
            b"7 other 0  5  10 14 10 14 0 0 4\na\nb\n",
            b"7 exited 256  5  10 14 10 14 0 0 4\na\nb\n",
            b"\n",
        ] {
            let error = parse_reading(output.to_vec()).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::Protocol);
        }
    }

    #[test]
    fn pane_that_ended_is_told_from_a_lost_end() {
        let records = parse_records(b"1 lost    finished  \n2 lost    pane-ended,finished 5 9\n");
        let ended: Vec<_> = records.unwrap().iter().map(|r| r.ended).collect();
        assert_eq!(ended, [Ended::Lost, Ended::PaneEnded]);
    }

    #[test]
    fn formats_and_fields_agree() {
        assert_eq!(RECORD.matches("#{").count(), 8);
        assert!(HEADER.starts_with(RECORD));
    }
}
