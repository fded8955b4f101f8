extension Configuration {
    /// The keys that a running daemon cannot change: sockets that clients hold and a store that is open.
    ///
    /// A reload for which this is not empty is refused whole, naming the keys.
    public static func changesRefusedOnReload(from old: Configuration, to new: Configuration) -> [String] {
        let comparisons = [
            ("listen.apps", old.listen.apps == new.listen.apps),
            ("listen.admin", old.listen.admin == new.listen.admin),
            ("store.path", old.store?.path == new.store?.path),
            ("store.key", old.store?.key == new.store?.key),
            ("store.previous_key", old.store?.previousKey == new.store?.previousKey),
        ]
        return comparisons.filter { !$0.1 }.map(\.0)
    }
}
