//! The constants of the protocol between tmux's client and server, bound from
//! the headers of a release (build/protocol.rs).

#![allow(
    dead_code,
    missing_docs,
    non_camel_case_types,
    unreachable_pub,
    reason = "as they come from C"
)]

include!(concat!(env!("OUT_DIR"), "/protocol.rs"));

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    /// Reads `pub const NAME: type = 1;`, one a line or all on one line.
    fn constants(text: &str) -> BTreeMap<&str, u64> {
        text.split(';')
            .filter_map(|item| {
                let (_, item) = item.split_once("pub const ")?;
                let (name, value) = item.split_once(':')?;
                let (_, value) = value.split_once('=')?;
                Some((name.trim(), value.trim().parse().unwrap()))
            })
            .collect()
    }

    /// The table is used where no headers are: it says the same as they do.
    #[test]
    fn table_is_what_the_headers_say() {
        let table = constants(include_str!("table.rs"));
        assert_eq!(table.len(), 44);
        let bound = constants(include_str!(concat!(env!("OUT_DIR"), "/protocol.rs")));
        assert_eq!(table, bound);
    }
}
