use std::path::Path;

use super::*;
use crate::stream::Pool;

/// A pane with marks, of which the terminal has gone.
fn at_prompt() -> Follow {
    let stream = PaneStream::new(&Pool::default()).unwrap();
    let terminal = Terminal::new(Path::new("/nonexistent"), 1);
    let mut follow = Follow::new(stream, terminal, 1, true);
    follow.append(b"\x1b]133;A\x07$ \x1b]133;B\x07");
    follow
}

/// The prompt that ends the one before has come, which nobody has looked at.
fn with_one_that_ran(follow: &mut Follow) -> u64 {
    let ran = follow.submit(1, false, 4).unwrap();
    follow.end_sending();
    follow.append(b"true\r\n\x1b]133;C\x07\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07");
    assert_eq!(follow.stream.pending(), Some(ran));
    ran
}

#[test]
fn what_was_never_sent_goes_with_the_one_before_it() {
    let mut follow = at_prompt();
    with_one_that_ran(&mut follow);
    let refused = follow.submit(1, false, 4).unwrap();
    follow.withdraw(refused);
    follow.end_sending();
    assert_eq!(follow.update(), None);
    assert_eq!(follow.stream.pending(), None);
}

#[test]
fn doubt_is_settled_behind_one_that_has_ended() {
    let mut follow = at_prompt();
    let ran = with_one_that_ran(&mut follow);
    let given_up: Vec<_> = (0..2)
        .map(|_| {
            let id = follow.submit(1, false, 4).unwrap();
            follow.doubt_sent(id);
            follow.end_sending();
            id
        })
        .collect();
    follow.note_sent(ran);
    assert_eq!(follow.update(), None);
    assert_eq!(follow.stream.pending(), None, "{given_up:?}");
    // One that was sent stays.
    let sent = follow.submit(1, false, 4).unwrap();
    follow.doubt_sent(sent);
    follow.end_sending();
    follow.note_sent(sent);
    assert_eq!(follow.stream.pending(), Some(sent));
}
