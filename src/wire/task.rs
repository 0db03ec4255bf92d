//! The user options that make a window that of a task.

use crate::error::Result;
use crate::task::Facts;
use crate::wire::record::Fields;

/// Format of them, of each window that is listed. Options have what others wrote
/// there, so they are quoted and read with care.
///
/// | option | set by | value |
/// |---|---|---|
/// | `@amux_task` | who first runs or watches something in it | its name by then |
/// | `@amux_task_ended` | who waited for the end of a command | id, and seconds since 1970 |
/// | `@amux_task_watch` | who makes it a watch | id of the newest command |
#[cfg(test)]
pub(crate) const TASK: &str =
    "#{q:@amux_task} #{q:@amux_task_ended} #{q:@amux_task_watch} #{window_activity} ";

/// Takes the fields of [`TASK`]; `None` for a window that is no task's.
pub(crate) fn take_facts(fields: &mut Fields<'_>) -> Result<Option<Facts>> {
    let began_as = fields.text("@amux_task")?;
    let facts = Facts {
        began_as,
        ended: pair(&fields.text("@amux_task_ended")?),
        watch: fields.text("@amux_task_watch")?.parse().ok(),
        printed: fields.optional("window_activity")?,
    };
    Ok((!facts.began_as.is_empty()).then_some(facts))
}

fn pair(text: &str) -> Option<(u64, u64)> {
    let (id, time) = text.split_once(' ')?;
    Some((id.parse().ok()?, time.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(line: &[u8]) -> Option<Facts> {
        let mut fields = Fields::new(line);
        let facts = take_facts(&mut fields).unwrap();
        // The blank at the end of the format leads to what is behind it.
        assert_eq!(fields.text("behind").unwrap(), "x");
        fields.end().unwrap();
        facts
    }

    #[test]
    fn window_of_a_task() {
        let found = facts(br"a-b-c 7\ 1790000000 9 1790000001 x").unwrap();
        assert_eq!(found.began_as, "a-b-c");
        assert_eq!(found.ended, Some((7, 1_790_000_000)));
        assert_eq!((found.watch, found.printed), (Some(9), Some(1_790_000_001)));
    }

    #[test]
    fn window_of_no_task() {
        assert_eq!(facts(b"   1790000001 x"), None);
    }

    #[test]
    fn what_others_wrote_counts_as_nothing() {
        let found = facts(br"what\ ever 7 x\ 9  x").unwrap();
        assert_eq!(found.began_as, "what ever");
        assert_eq!(
            (found.ended, found.watch, found.printed),
            (None, None, None)
        );
    }
}
