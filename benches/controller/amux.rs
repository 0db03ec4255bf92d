//! amux: patched by either transport, and stock.

use std::path::Path;
use std::rc::Rc;

use amux::{BackendKind, RunOptions, Server, Transport, Window};
use tokio::runtime::Runtime;

use crate::way::{Answer, Case, Way};

struct Amux {
    name: &'static str,
    runtime: Rc<Runtime>,
    window: Window,
    /// Ends with its last handle.
    _owner: Server,
}

/// Starts the servers.
pub fn ways(folder: &Path, custom: &Path, stock: Option<&Path>) -> Vec<Box<dyn Way>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let runtime = Rc::new(runtime);
    let mut ways: Vec<Box<dyn Way>> = Vec::new();
    let mut kinds = vec![
        (
            "amux patched, socket",
            BackendKind::Patched,
            Transport::Socket,
            custom,
        ),
        (
            "amux patched, process",
            BackendKind::Patched,
            Transport::Process,
            custom,
        ),
    ];
    if let Some(stock) = stock {
        kinds.push((
            "amux stock, socket",
            BackendKind::Stock,
            Transport::Socket,
            stock,
        ));
    }
    for (number, (name, kind, transport, program)) in kinds.into_iter().enumerate() {
        let socket = folder.join(format!("amux-{number}"));
        let (server, window) = runtime.block_on(async {
            let server = Server::builder()
                .socket_path(socket)
                .binary(program)
                .backend(kind)
                .transport(transport)
                .start()
                .await
                .expect("a server");
            let window = server.window("bench").expect("a name");
            window.create().await.expect("a window");
            // Not before its first prompt.
            window
                .run("true", RunOptions::new())
                .await
                .expect("a shell");
            (server, window)
        });
        ways.push(Box::new(Amux {
            name,
            runtime: runtime.clone(),
            window,
            _owner: server,
        }));
    }
    ways
}

impl Way for Amux {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, case: &Case) -> Answer {
        let run = self.window.run(&case.text, RunOptions::new());
        let output = self.runtime.block_on(run).expect("a run");
        Answer {
            status: Some(output.status().map_or(-1, i32::from)),
            output: output.text,
        }
    }
}
