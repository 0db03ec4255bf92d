//! What a run came to: a table of topics and targets.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;

/// How many trials of a topic came to what on a target.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    passed: u32,
    ignored: u32,
    failed: u32,
}

/// Results by topic and target. Threads add to it.
#[derive(Debug, Default)]
pub struct Matrix {
    /// Targets that are not there, and why.
    missing: Vec<(String, String)>,
    targets: Vec<String>,
    counts: Mutex<BTreeMap<(String, String), Count>>,
}

impl Matrix {
    /// Notes a target that is tested.
    pub fn target(&mut self, name: &str) {
        self.targets.push(name.to_owned());
    }

    /// Notes a target that is not there.
    pub fn missing(&mut self, name: &str, reason: &str) {
        self.missing.push((name.to_owned(), reason.to_owned()));
    }

    /// Notes a trial that does not apply to a target.
    pub fn ignore(&mut self, topic: &str, target: &str) {
        self.count(topic, target, |count| count.ignored += 1);
    }

    /// Notes how a trial ended.
    pub fn add(&self, topic: &str, target: &str, passed: bool) {
        self.count(topic, target, |count| match passed {
            true => count.passed += 1,
            false => count.failed += 1,
        });
    }

    fn count(&self, topic: &str, target: &str, add: impl FnOnce(&mut Count)) {
        let mut counts = self.counts.lock().unwrap();
        add(counts
            .entry((topic.to_owned(), target.to_owned()))
            .or_default());
    }

    /// Returns the table in Markdown; empty where no trial ran. The first lines say which targets are missing.
    pub fn table(&self) -> String {
        let counts = self.counts.lock().unwrap();
        if counts
            .values()
            .all(|count| count.passed + count.failed == 0)
        {
            return String::new();
        }
        let mut text = String::new();
        for (target, reason) in &self.missing {
            let _ = writeln!(text, "Not tested: {target}: {reason}.\n");
        }
        let _ = writeln!(text, "Passed, or passed/ignored/failed.\n");
        let _ = writeln!(text, "| topic | {} |", self.targets.join(" | "));
        let _ = writeln!(text, "|---|{}", "---|".repeat(self.targets.len()));
        let mut topics: Vec<&str> = counts.keys().map(|(topic, _)| topic.as_str()).collect();
        topics.dedup();
        for topic in topics {
            let _ = write!(text, "| {topic} |");
            for target in &self.targets {
                let count = counts.get(&(topic.to_owned(), target.clone()));
                let _ = write!(text, " {} |", cell(count.copied().unwrap_or_default()));
            }
            text.push('\n');
        }
        let _ = write!(text, "| all |");
        for target in &self.targets {
            let of = counts.iter().filter(|((_, name), _)| name == target);
            let sum = of.fold(Count::default(), |sum, (_, count)| Count {
                passed: sum.passed + count.passed,
                ignored: sum.ignored + count.ignored,
                failed: sum.failed + count.failed,
            });
            let _ = write!(text, " {} |", cell(sum));
        }
        text.push('\n');
        text
    }
}

fn cell(count: Count) -> String {
    match count {
        Count {
            passed,
            ignored: 0,
            failed: 0,
        } => passed.to_string(),
        Count {
            passed,
            ignored,
            failed,
        } => format!("{passed}/{ignored}/{failed}"),
    }
}
