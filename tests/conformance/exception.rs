//! A trial that does not apply to a target.

use crate::targets::Target;

/// Trials that do not apply everywhere.
pub struct Exception {
    /// `<topic>::<sentence>`, or `<topic>::*` for all of a topic.
    pub trials: &'static str,
    /// Why they do not apply to a target; `None` where they do.
    pub reason: fn(&Target) -> Option<String>,
    /// Whether they may be left out in a strict run: what they need cannot be installed everywhere.
    pub in_strict_runs: bool,
}

impl Exception {
    /// Whether a trial is one of these.
    pub fn names(&self, topic: &str, sentence: &str) -> bool {
        match self.trials.split_once("::") {
            Some((mine, "*")) => mine == topic,
            Some((mine, its)) => mine == topic && its == sentence,
            None => false,
        }
    }
}
