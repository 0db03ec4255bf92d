//! How fast the stream engine takes and renders output, by what the output is and in which pieces it comes.
//!
//! `memcpy` of the same pieces stands beside as the limit: appending copies each byte once at least. Compare within
//! one run; the figures of two runs differ with what else the machine does.

use std::hint::black_box;
use std::time::Duration;

use amux::stream::{Options, PaneStream, Pool, Renderer, Rendering};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const SIZE: usize = 4 << 20;
const PIECES: [usize; 4] = [1, 64, 4096, 65536];

/// Lines until there are enough bytes.
fn lines(line: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..).flat_map(line).take(SIZE).collect();
    bytes.truncate(SIZE);
    bytes
}

/// What output is like.
fn contents() -> Vec<(&'static str, Vec<u8>)> {
    let plain = lines(|n| {
        format!("{n:08} the quick brown fox jumps over the lazy dog and runs away again\r\n").into()
    });
    let colours = lines(|n| {
        format!(
            "\x1b[32m{n:08}\x1b[0m \x1b[1;31mERROR\x1b[0m \x1b[36mmodule::name\x1b[0m: \x1b[33mkey\x1b[0m=\x1b[35m{n}\x1b[0m done\r\n"
        )
        .into()
    });
    let marks = lines(|n| {
        let aid = "aid=0123456789abcdef0123456789abcdef";
        format!(
            "\x1b]133;D;0;{aid}\x07\x1b]133;A;{aid}\x07$ \x1b]133;B;{aid}\x07ls\r\n\x1b]133;C;{aid}\x07file{n}\r\n"
        )
        .into()
    });
    let utf8 = lines(|n| {
        format!("{n} Grüße aus Köln, 日本語のテキスト и русский текст здесь é è ñ\r\n").into()
    });
    let progress =
        lines(|n| format!("\r[{:3}%] building target number {n} ...\x1b[K", n % 100).into());
    // A generator with known constants (Numerical Recipes), so that each run has the same bytes.
    let mut state = 1u32;
    let random = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    vec![
        ("plain", plain),
        ("colours", colours),
        ("marks", marks),
        ("utf8", utf8),
        ("progress", progress),
        ("random", random.take(SIZE).collect()),
    ]
}

/// What must not be slow: nothing here may take longer for a byte than the rest does by far. Each is one line
/// or one sequence, as long as the others are in all; tests/stream/text.rs sees to it that none takes
/// minutes.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let filled = |head: &[u8], piece: &[u8]| {
        let mut bytes = head.to_vec();
        bytes.extend(piece.iter().cycle().take(SIZE - head.len()));
        bytes
    };
    vec![
        ("returns", filled(b"", &[&[b'x'; 250][..], b"\r"].concat())),
        ("osc-without-end", filled(b"\x1b]133;D;", b"x")),
        ("escapes", filled(b"", b"\x1b")),
        ("dcs-without-end", filled(b"\x1bPq", b"\x1b")),
        ("deletions", filled(&[b'x'; 1000], b"\r\x1b[P")),
        ("lefts-and-erasing", filled(b"", b"xy\x1b[D\x1b[K")),
        (
            "erasing-a-long-line",
            filled(&[b'x'; SIZE / 4], b"\x1b[D\x1b[X"),
        ),
        ("combining", filled(b"e", "\u{301}".as_bytes())),
    ]
}

fn append(c: &mut Criterion) {
    for (name, bytes) in contents().into_iter().chain(hostile()) {
        let mut group = c.benchmark_group(format!("append/{name}"));
        group.throughput(Throughput::Bytes(SIZE as u64));
        for piece in PIECES {
            let mut stream = PaneStream::new(&Pool::default()).unwrap();
            // Full, as it is for most of a pane's life.
            for _ in 0..5 {
                stream.append(&bytes, 0);
            }
            group.bench_function(BenchmarkId::new("engine", piece), |b| {
                b.iter(|| {
                    bytes
                        .chunks(piece)
                        .for_each(|bytes| stream.append(bytes, 1))
                });
            });
            let mut copy = vec![0u8; SIZE];
            group.bench_function(BenchmarkId::new("memcpy", piece), |b| {
                b.iter(|| {
                    let pieces = bytes.chunks(piece).zip(copy.chunks_mut(piece));
                    pieces.for_each(|(from, to)| black_box(to).copy_from_slice(black_box(from)));
                });
            });
        }
        group.finish();
    }
}

fn render(c: &mut Criterion) {
    for escapes in [false, true] {
        let how = if escapes { "escapes" } else { "clean" };
        for (name, bytes) in contents().into_iter().chain(hostile()) {
            let mut group = c.benchmark_group(format!("{how}/{name}"));
            group.throughput(Throughput::Bytes(SIZE as u64));
            for piece in PIECES {
                group.bench_function(BenchmarkId::from_parameter(piece), |b| {
                    b.iter(|| {
                        let mut renderer = Renderer::new(Options {
                            escapes,
                            last: true,
                            alternate: false,
                        })
                        .unwrap();
                        bytes
                            .chunks(piece)
                            .for_each(|bytes| renderer.feed(bytes).unwrap());
                        renderer.finish().unwrap()
                    });
                });
            }
            group.finish();
        }
    }
}

/// Reading a small piece off a full stream, as a reader that polls does.
fn read(c: &mut Criterion) {
    let mut stream = PaneStream::new(&Pool::default()).unwrap();
    let (_, bytes) = contents().swap_remove(1);
    for _ in 0..5 {
        stream.append(&bytes, 0);
    }
    let total = stream.total();
    c.bench_function("read/4096", |b| {
        b.iter(|| {
            stream
                .render(total - 4096..total, Rendering::Clean, true)
                .unwrap()
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = append, render, read
}
criterion_main!(benches);
