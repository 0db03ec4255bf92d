//! Reading what a pane has printed.

use crate::backend::ReadRequest;
use crate::command::Record;
use crate::error::{Error, ErrorKind, Result};
use crate::names::WindowName;
use crate::read::{Range, Render};
use crate::stream::Rendering;
use crate::wire::command::Reading;

use super::feed::Look;
use super::follow::Follow;
use super::wait::Seen;
use super::{Stock, no_memory};

impl Stock {
    pub(super) async fn read_range(&self, request: ReadRequest<'_>) -> Result<Reading> {
        let op = "read";
        let (feed, _) = self.feed(op, request.target).await?;
        let mut follow = feed.lock();
        follow.update();
        let total = follow.stream.total();
        let mut record = None;
        let mut last = follow.closed || follow.ended;
        let range = match request.range {
            Range::Unread => follow.read_to..total,
            Range::SinceWrite => follow.stream.mark()..total,
            Range::LastCommand | Range::Command(_) => {
                let found = match request.range {
                    Range::Command(id) => find(op, &follow, id.get())?,
                    _ => follow
                        .stream
                        .last()
                        .ok_or_else(|| Error::new(ErrorKind::NoSuchCommand, op))?,
                };
                last |= found.output_start.is_none() || found.output_end.is_some();
                let range = found.output(total);
                record = Some(follow.told(found));
                range
            }
        };
        let how = match request.render {
            Render::Clean => Rendering::Clean,
            Render::Escapes => Rendering::Escapes,
            Render::Raw => Rendering::Raw,
        };
        let reading = reading(op, &follow, range, how, last, record)?;
        if let Some(log) = &follow.log {
            log.read(&request, &reading);
        }
        if request.consume {
            follow.read_to = follow.read_to.max(reading.end);
            follow.stream.set_cursor(reading.end);
        }
        Ok(reading)
    }

    pub(super) async fn read_after(
        &self,
        target: &WindowName,
        after: Option<u64>,
    ) -> Result<Option<Reading>> {
        let op = "follow";
        let (feed, _) = self.feed(op, target).await?;
        let Some(after) = after else {
            let follow = feed.lock();
            let total = follow.stream.total();
            return reading(op, &follow, total..total, Rendering::Raw, true, None).map(Some);
        };
        if feed.lock().stream.total() < after {
            return Err(Error::new(ErrorKind::PaneGone, op).because("it is another pane by now"));
        }
        let look = |follow: &mut Follow| match follow.stream.total() > after {
            true => Look::Found(()),
            false => Look::Again(None),
        };
        match self.until(op, target, &feed, None, look).await? {
            Seen::Found(()) => {
                let follow = feed.lock();
                let range = after..follow.stream.total();
                let reading = reading(op, &follow, range, Rendering::Raw, true, None)?;
                if let Some(log) = &follow.log {
                    log.read_of("after", Render::Raw, false, None, &reading);
                }
                Ok(Some(reading))
            }
            Seen::TimedOut | Seen::Ended => Ok(None),
        }
    }
}

/// Finds a record by its id.
pub(super) fn find(op: &'static str, follow: &Follow, id: u64) -> Result<crate::stream::Record> {
    let stream = &follow.stream;
    if let Some(found) = stream.find(id) {
        return Ok(found);
    }
    let earlier = follow.earlier.as_ref();
    let ran = earlier.filter(|earlier| earlier.id == id);
    if let Some(found) = ran.and_then(|earlier| stream.find(earlier.ran()?)) {
        return Ok(found);
    }
    let gone = stream.forgotten(id) || earlier.is_some_and(|earlier| id <= earlier.id);
    Err(Error::new(
        match gone {
            true => ErrorKind::CommandForgotten,
            false => ErrorKind::NoSuchCommand,
        },
        op,
    ))
}

pub(super) fn reading(
    op: &'static str,
    follow: &Follow,
    range: std::ops::Range<u64>,
    how: Rendering,
    last: bool,
    record: Option<Record>,
) -> Result<Reading> {
    let start = range.start;
    let rendered = follow
        .stream
        .render(range, how, last)
        .map_err(|error| no_memory(op, error))?;
    Ok(Reading {
        record,
        start,
        end: rendered.end,
        missing: rendered.missing,
        alternate: rendered.alternate,
        bytes: rendered.bytes,
    })
}
