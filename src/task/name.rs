//! Names of tasks.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::names::{MAX_NAME, check_name};

/// The last part of the name of a task that has become a watch.
const WATCH: &str = "watch";

/// The name of a task and of its window: `<project>-<target>-<task>`, such as
/// `web-staging-deploy`.
///
/// Letters, digits, `_` and `-` of ASCII, at most 32 bytes as every name. The
/// first hyphen ends the project and the second one the target; whatever
/// follows, further hyphens too, is the task: `web-staging-db-backup` is
/// the task `db-backup`. Nothing between two hyphens is empty. Project and
/// target together leave room for `-watch`, the name that a task has once it is
/// one: 26 bytes with the hyphen between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskName {
    name: String,
    /// Where the first hyphen is.
    project: usize,
    /// Where the second one is.
    target: usize,
}

impl TaskName {
    /// Checks a name.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidName`].
    pub fn new(name: &str) -> Result<Self> {
        check_name(name)?;
        let refuse = |why: &str| {
            Error::new(ErrorKind::InvalidName, "use name")
                .on(format_args!("{name:?}"))
                .because(why)
        };
        let mut hyphens = name.match_indices('-').map(|(at, _)| at);
        let (Some(project), Some(target)) = (hyphens.next(), hyphens.next()) else {
            return Err(refuse("a task's name is <project>-<target>-<task>"));
        };
        if name.split('-').any(str::is_empty) {
            return Err(refuse("a part of a task's name is empty"));
        }
        if target + 1 + WATCH.len() > MAX_NAME {
            return Err(refuse("project and target are longer than 26 bytes"));
        }
        Ok(Self {
            name: name.to_owned(),
            project,
            target,
        })
    }

    /// Returns the whole name.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the project, or the domain: what stands before the first hyphen.
    pub fn project(&self) -> &str {
        &self.name[..self.project]
    }

    /// Returns what is worked on: what stands between the first two hyphens.
    pub fn target(&self) -> &str {
        &self.name[self.project + 1..self.target]
    }

    /// Returns the task itself: what stands behind the second hyphen.
    pub fn task(&self) -> &str {
        &self.name[self.target + 1..]
    }

    /// Returns the name that it has as a watch: `<project>-<target>-watch`.
    pub fn watch(&self) -> Self {
        Self {
            name: format!("{}{WATCH}", &self.name[..=self.target]),
            project: self.project,
            target: self.target,
        }
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl FromStr for TaskName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::new(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_two_hyphens_part_a_name() {
        for (name, parts) in [
            ("web-staging-deploy", ["web", "staging", "deploy"]),
            ("web-staging-db-backup-2", ["web", "staging", "db-backup-2"]),
            ("a-b-c", ["a", "b", "c"]),
            ("1-2-3", ["1", "2", "3"]),
            ("a_b-C9-_", ["a_b", "C9", "_"]),
        ] {
            let found: TaskName = name.parse().unwrap();
            assert_eq!([found.project(), found.target(), found.task()], parts);
            assert_eq!((found.as_str(), found.to_string()), (name, name.to_owned()));
        }
    }

    #[test]
    fn watch_has_project_and_target() {
        for name in ["web-staging-deploy", "web-staging-db-backup"] {
            let watch = TaskName::new(name).unwrap().watch();
            assert_eq!(watch.as_str(), "web-staging-watch");
            assert_eq!(watch, watch.watch());
            assert_eq!(watch, TaskName::new(watch.as_str()).unwrap());
        }
    }

    #[test]
    fn what_is_no_name_of_a_task_is_refused() {
        for name in [
            "", "build", "a-b", "-a-b-c", "a--b-c", "a-b-", "a-b--c", "a-b-c-", "--", "a-b c-d",
            "a-b-c:d", "a-b-ü", "=a-b-c", "a-b-c\n",
        ] {
            let error = TaskName::new(name).unwrap_err();
            assert_eq!(*error.kind(), ErrorKind::InvalidName, "{name:?}");
        }
    }

    #[test]
    fn length_is_bounded_and_leaves_room_for_the_watch() {
        let name =
            |project: usize, task: usize| format!("{}-t-{}", "p".repeat(project), "k".repeat(task));
        let longest = TaskName::new(&name(24, 5)).unwrap();
        assert_eq!(
            (longest.as_str().len(), longest.watch().as_str().len()),
            (32, 32)
        );
        assert!(TaskName::new(&name(24, 6)).is_err());
        assert!(TaskName::new(&name(25, 1)).is_err());
        assert!(TaskName::new(&name(1, 28)).is_ok());
    }
}
