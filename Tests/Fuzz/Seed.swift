import Glibc

/// A first input. Keys are made anew each time, so that one of an earlier run is no longer accepted.
enum Seed {
    /// Writes it into the folder that `FUZZ_SEEDS` names, which is one of the fuzzer's corpora.
    static func write(_ bytes: [UInt8], name: String) {
        guard let folder = getenv("FUZZ_SEEDS"), let file = fopen(String(cString: folder) + "/" + name, "we") else {
            return
        }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }
}
