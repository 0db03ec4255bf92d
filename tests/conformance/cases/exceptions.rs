//! Trials that do not apply to a target: the only ones that a run ignores.
//!
//! By hand, as the expected capabilities are: a trial cannot leave itself out. Where both backends can do a thing
//! and do it differently, that is no exception: the trial expects of each its own, and differences.md names it.

use amux::{BackendKind, Transport};

use crate::cases::startup;
use crate::exception::Exception;
use crate::targets::Target;

/// Every exception of this suite.
pub const ALL: &[Exception] = &[
    Exception {
        trials: "formats::*",
        reason: |target| match target.backend {
            BackendKind::Stock => Some("a stock tmux has no such formats".to_owned()),
            _ => None,
        },
        in_strict_runs: true,
    },
    Exception {
        trials: "zsh::*",
        reason: |target| other_shells("zsh", target),
        in_strict_runs: true,
    },
    Exception {
        trials: "fish::*",
        reason: |target| other_shells("fish", target),
        in_strict_runs: true,
    },
    Exception {
        trials: "startup::tool_direnv",
        reason: |_| startup::missing("tool_direnv"),
        in_strict_runs: false,
    },
    // No package of Debian 12 has these two.
    Exception {
        trials: "startup::tool_bash_preexec",
        reason: |_| startup::missing("tool_bash_preexec"),
        in_strict_runs: true,
    },
    Exception {
        trials: "startup::tool_starship",
        reason: |_| startup::missing("tool_starship"),
        in_strict_runs: true,
    },
    Exception {
        trials: "startup::tools_together",
        reason: |_| startup::missing("tools_together"),
        in_strict_runs: true,
    },
];

/// Where another shell than bash is not tested: it needs the patched tmux, and is the same by any transport.
fn other_shells(shell: &str, target: &Target) -> Option<String> {
    if target.backend != BackendKind::Patched {
        return Some(format!(
            "{shell} needs the patched tmux: differences::other_shells_need_the_patches"
        ));
    }
    (target.transport != Transport::Socket).then(|| "tested by the socket".to_owned())
}
