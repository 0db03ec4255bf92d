//! Tasks: windows of their own with names that say what they are for, closed
//! once the outcome has been verified.

mod handle;
mod info;
mod name;

pub use handle::Task;
pub(crate) use info::Facts;
pub use info::{TaskInfo, TaskState};
pub use name::TaskName;
