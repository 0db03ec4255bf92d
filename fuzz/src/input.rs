//! Inputs: what is done to a stream, as bytes that a fuzzer can change.
//!
//! Most bytes are what the pane writes. 0xff, which is in no text, begins something else:
//!
//! | bytes | what |
//! |---|---|
//! | 0xff 0xff | the pane writes 0xff |
//! | 0xff c | what was written so far comes in one piece |
//! | 0xff x N L | the last L+1 bytes written are written N times more |
//! | 0xff n B, 0xff N | marks with the aid B are ours; none are |
//! | 0xff s B | a program submits B % 4 lines, knowing (B / 4) % 3 of the prompt |
//! | 0xff S B | all is settled up to the submission that came B before the last |
//! | 0xff m | a program writes without submitting |
//! | 0xff r B | B of 255 parts of what is not read are read |
//! | 0xff l B | B * B bytes are kept |
//! | 0xff e | the pane's process ends |
//! | 0xff o B | at the start: the offset of the first byte |
//! | 0xff f B | the request for memory that comes after B more fails |
//!
//! Anything else after 0xff is as c.

use amux::stream::AtPrompt;

/// What an input writes at most, in bytes, and how many steps it has.
const MOST_BYTES: usize = 16 * 1024;
const MOST_STEPS: usize = 256;

const LEAD: u8 = 0xff;

/// Offsets of first bytes. From the highest, none reaches the last one that there is.
const OFFSETS: [u64; 3] = [0, (1 << 32) - 100, u64::MAX - (1 << 20)];

/// What is known of the prompt, by its number.
const AT: [AtPrompt; 3] = [AtPrompt::Unknown, AtPrompt::Empty, AtPrompt::EmptyForLine];

/// Something that is done to a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The pane writes.
    Append(Vec<u8>),
    /// Marks with this aid are ours.
    Nonce(Option<u8>),
    /// A program submits so many lines.
    Submit(u32, AtPrompt),
    /// All is settled up to the one that came so many before the last.
    Settle(u8),
    /// A program writes without submitting.
    SetMark,
    /// So many of 255 parts of what is not read are read.
    Read(u8),
    /// So many bytes are kept.
    Limit(u64),
    /// The pane's process ends.
    End,
    /// A request for memory fails, after so many more.
    Fail(u8),
}

/// Where a stream begins, and what is done to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Input {
    /// Offset of the first byte.
    pub offset: u64,
    /// In their order.
    pub steps: Vec<Step>,
}

impl Input {
    /// Reads an input. Any bytes are one.
    pub fn read(data: &[u8]) -> Self {
        let mut reader = Reader::default();
        let mut bytes = data.iter().copied();
        while let Some(byte) = bytes.next() {
            if byte == LEAD {
                let Some(letter) = bytes.next() else { break };
                reader.special(letter, &mut bytes);
            } else {
                reader.write(&[byte]);
            }
        }
        reader.cut();
        reader.input
    }

    /// Has it anything to do with missing memory?
    pub fn scarce(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Fail(_)))
    }

    /// Returns bytes that [`read`](Self::read) makes this input of, but for steps and bytes beyond what it takes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(at @ 1..) = OFFSETS.iter().position(|&offset| offset == self.offset) {
            out.extend([LEAD, b'o', at as u8]);
        }
        for step in &self.steps {
            match step {
                Step::Append(bytes) => {
                    for &byte in bytes {
                        out.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == LEAD)));
                    }
                    out.extend([LEAD, b'c']);
                }
                Step::Nonce(Some(aid)) => out.extend([LEAD, b'n', *aid]),
                Step::Nonce(None) => out.extend([LEAD, b'N']),
                Step::Submit(lines, at) => {
                    let at = AT.iter().position(|known| known == at).unwrap_or(0);
                    out.extend([LEAD, b's', (lines % 4) as u8 + 4 * at as u8]);
                }
                Step::Settle(back) => out.extend([LEAD, b'S', *back]),
                Step::SetMark => out.extend([LEAD, b'm']),
                Step::Read(part) => out.extend([LEAD, b'r', *part]),
                Step::Limit(limit) => out.extend([LEAD, b'l', limit.isqrt().min(255) as u8]),
                Step::End => out.extend([LEAD, b'e']),
                Step::Fail(after) => out.extend([LEAD, b'f', *after]),
            }
        }
        out
    }
}

#[derive(Default)]
struct Reader {
    input: Input,
    /// What was written since the last step, and how much before it.
    written: Vec<u8>,
    before: usize,
}

impl Reader {
    fn write(&mut self, bytes: &[u8]) {
        let room = MOST_BYTES - self.before - self.written.len();
        self.written.extend(&bytes[..bytes.len().min(room)]);
    }

    fn step(&mut self, step: Step) {
        if self.input.steps.len() < MOST_STEPS {
            self.input.steps.push(step);
        }
    }

    fn cut(&mut self) {
        let written = std::mem::take(&mut self.written);
        self.before += written.len();
        if !written.is_empty() {
            self.step(Step::Append(written));
        }
    }

    fn special(&mut self, letter: u8, rest: &mut impl Iterator<Item = u8>) {
        let mut next = || rest.next().unwrap_or(0);
        match letter {
            LEAD => return self.write(&[LEAD]),
            b'x' => {
                let (count, len) = (next(), usize::from(next()) + 1);
                let from = self.written.len().saturating_sub(len);
                let piece = self.written[from..].to_vec();
                return (0..count).for_each(|_| self.write(&piece));
            }
            b'o' if self.input.steps.is_empty() && self.written.is_empty() => {
                self.input.offset = OFFSETS[usize::from(next()) % OFFSETS.len()];
                return;
            }
            _ => {}
        }
        self.cut();
        let step = match letter {
            b'n' => Step::Nonce(Some(next())),
            b'N' => Step::Nonce(None),
            b's' => {
                let what = next();
                Step::Submit(u32::from(what % 4), AT[usize::from(what / 4) % AT.len()])
            }
            b'S' => Step::Settle(next()),
            b'm' => Step::SetMark,
            b'r' => Step::Read(next()),
            b'l' => Step::Limit(u64::from(next()).pow(2)),
            b'e' => Step::End,
            b'f' => Step::Fail(next()),
            _ => return,
        };
        self.step(step);
    }
}
