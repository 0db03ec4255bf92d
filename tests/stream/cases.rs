//! The cases in `data/*.txt`, each in one piece, byte by byte, and cut once at every byte (case C18); long ones at
//! some hundred bytes.

use crate::file::read;
use crate::script::Cut;

fn run(file: &str, text: &str, least: usize) {
    let cases = read(text);
    assert!(cases.len() >= least, "{file} has {} cases", cases.len());
    for case in cases {
        case.run(Cut::Whole);
        case.run(Cut::EachByte);
        for at in (0..case.len()).step_by(1 + case.len() / 400) {
            case.run(Cut::At(at));
        }
    }
}

macro_rules! files {
    ($($name:ident, $least:expr;)*) => {$(
        #[test]
        fn $name() {
            let file = concat!("data/", stringify!($name), ".txt");
            run(file, include_str!(concat!("data/", stringify!($name), ".txt")), $least);
        }
    )*};
}

files! {
    commands, 30;
    marks, 15;
    submissions, 15;
    recorded, 10;
    text, 40;
}
