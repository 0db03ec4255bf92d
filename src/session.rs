//! A session: windows under one name.

use crate::error::Result;
use crate::names;
use crate::server::Server;
use crate::task::Task;
use crate::window::Window;

/// A session of a [`Server`], by its name. It exists as long as it has windows;
/// creating the first window creates it.
#[derive(Debug, Clone)]
pub struct Session {
    server: Server,
    name: String,
}

impl Session {
    pub(crate) fn new(server: Server, name: &str) -> Result<Self> {
        names::check_name(name)?;
        Ok(Self {
            server,
            name: name.to_owned(),
        })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a handle on a window of this session. Nothing is sent: the window
    /// need not exist.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidName`](crate::ErrorKind::InvalidName).
    pub fn window(&self, name: &str) -> Result<Window> {
        Window::new(self.server.clone(), &self.name, name)
    }

    /// Returns a handle on a task of this session, by a name as
    /// [`TaskName`](crate::TaskName) has them. Nothing is sent: its window need
    /// not exist.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidName`](crate::ErrorKind::InvalidName).
    pub fn task(&self, name: &str) -> Result<Task> {
        Task::new(self.server.clone(), &self.name, name)
    }
}
