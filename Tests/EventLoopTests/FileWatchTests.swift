import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite("File watch: changes", .blocking)
struct FileWatchTests {
    private let stage: WatchStage
    private let key: String

    init() throws {
        stage = try WatchStage()
        key = stage.path("key")
    }

    @Test("tells nothing of files that do not change, read or not")
    func unchanged() throws {
        try watchKey()
        #expect(try contents(of: key) == "one")
        #expect(stage.toldNow().isEmpty)
        #expect(stage.watch.weakness == nil)
    }

    @Test("a file that is renamed over it, once and again")
    func renamedOver() throws {
        try watchKey()
        for _ in 1...2 {
            try stage.write("two", to: "new")
            try stage.move("new", to: "key")
            #expect(stage.toldNow() == [[key]])
        }
    }

    @Test("an edit in place is told once, after its last write")
    func editedInPlace() throws {
        try watchKey()
        try stage.write("", to: "key")
        for _ in 1...6 {
            try stage.append("two", to: "key")
            stage.pass(.milliseconds(100))
            #expect(stage.told.isEmpty)
        }
        #expect(stage.toldNow() == [[key]])
    }

    @Test("a file that is written without a pause is told all the same")
    func steadyWriter() throws {
        try watchKey()
        for _ in 1...30 {
            try stage.append("two", to: "key")
            stage.pass(.milliseconds(50))
        }
        #expect(stage.told == [[key]])
    }

    @Test("deleted, and made again later")
    func deleted() throws {
        try watchKey()
        for _ in 1...2 {
            try stage.delete("key")
            #expect(stage.toldNow() == [[key]])
            try stage.write("two", to: "key")
            #expect(stage.toldNow() == [[key]])
        }
        try stage.write("three", to: "key")
        #expect(stage.toldNow() == [[key]], "the new file is watched")
    }

    @Test("the link and the directory that Kubernetes swaps")
    func kubernetes() throws {
        try stage.makeDirectory("..1")
        try stage.write("one", to: "..1/key")
        try stage.link("..data", to: "..1")
        try stage.link("key", to: "..data/key")
        stage.watch.watch([key])
        for version in 2...3 {
            try stage.makeDirectory("..\(version)")
            try stage.write("two", to: "..\(version)/key")
            #expect(stage.toldNow().isEmpty)
            try stage.link("..data_tmp", to: "..\(version)")
            try stage.move("..data_tmp", to: "..data")
            #expect(stage.toldNow() == [[key]])
            try stage.delete("..\(version - 1)/key")
            #expect(rmdir(stage.path("..\(version - 1)")) == 0)
            #expect(stage.toldNow().isEmpty)
        }
        try stage.write("three", to: "..3/key")
        #expect(stage.toldNow() == [[key]])
    }

    @Test("behind a link elsewhere", arguments: ["absolute", "../store/key", "./.././links/../store//key"])
    func linked(target: String) throws {
        for name in ["links", "store", "other"] { try stage.makeDirectory(name) }
        try stage.write("one", to: "store/key")
        try stage.write("two", to: "other/key")
        try stage.link("links/key", to: target == "absolute" ? stage.path("store/key") : target)
        let path = stage.path("links/key")
        stage.watch.watch([path])
        try stage.write("three", to: "store/key")
        #expect(stage.toldNow() == [[path]])
        try stage.move("store", to: "old")
        try stage.move("other", to: "store")
        #expect(stage.toldNow() == [[path]])
        try stage.write("four", to: "store/key")
        #expect(stage.toldNow() == [[path]])
        try stage.move("links/key", to: "links/old")
        #expect(stage.toldNow() == [[path]])
        try stage.move("links/old", to: "links/key")
        #expect(stage.toldNow() == [[path]])
        try stage.delete("links/key")
        #expect(stage.toldNow() == [[path]])
    }

    @Test("a directory above it is renamed away and another one put in its place")
    func directorySwapped() throws {
        for name in ["a", "a/b", "new", "new/b"] { try stage.makeDirectory(name) }
        for name in ["a/b/key", "new/b/key"] { try stage.write("one", to: name) }
        let path = stage.path("a/b/key")
        stage.watch.watch([path])
        try stage.move("a", to: "old")
        #expect(stage.toldNow() == [[path]])
        try stage.move("new", to: "a")
        #expect(stage.toldNow() == [[path]])
        try stage.write("two", to: "a/b/key")
        #expect(stage.toldNow() == [[path]])
        try stage.write("three", to: "old/b/key")
        #expect(stage.toldNow().isEmpty, "the path does not lead there any more")
    }

    @Test("directories that are made later")
    func directoryLater() throws {
        let path = stage.path("a/b/key")
        stage.watch.watch([path])
        #expect(stage.watch.weakness == nil)
        try stage.makeDirectory("a")
        _ = stage.toldNow()
        try stage.makeDirectory("a/b")
        _ = stage.toldNow()
        try stage.write("one", to: "a/b/key")
        #expect(stage.toldNow() == [[path]])
        try stage.write("two", to: "a/b/key")
        #expect(stage.toldNow() == [[path]])
    }

    @Test("a file that may be read at last")
    func permitted() throws {
        try watchKey()
        try stage.allow(0o600, on: "key")
        #expect(stage.toldNow() == [[key]])
    }

    @Test("written by another name of the same file")
    func hardLinked() throws {
        try stage.makeDirectory("elsewhere")
        try watchKey()
        #expect(Glibc.link(key, stage.path("elsewhere/alias")) == 0)
        _ = stage.toldNow()
        try stage.write("two", to: "elsewhere/alias")
        #expect(stage.toldNow() == [[key]])
    }

    @Test("written through a memory map, when that is closed")
    func memoryMapped() throws {
        try watchKey()
        let file = try Descriptor("open") { open(key, O_RDWR | O_CLOEXEC) }
        let number = file.release()
        let bytes = mmap(nil, 3, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
        bytes?.storeBytes(of: 0x74, as: UInt8.self)
        close(number)
        #expect(stage.toldNow().isEmpty)
        #expect(munmap(bytes, 3) == 0)
        #expect(stage.toldNow() == [[key]])
    }

    @Test("links that lead in a circle are given up, and told when they lead somewhere")
    func circle() throws {
        try stage.link("a", to: "b")
        try stage.link("b", to: "a")
        let path = stage.path("a/key")
        stage.watch.watch([path])
        #expect(stage.toldNow().isEmpty)
        try stage.makeDirectory("c")
        try stage.write("one", to: "c/key")
        try stage.move("c", to: "d")
        try stage.delete("b")
        try stage.link("b", to: "d")
        #expect(stage.toldNow() == [[path]])
    }

    @Test("only the files that changed are told, and others in the directory are not watched at all")
    func otherFiles() throws {
        let second = stage.path("second")
        for name in ["key", "second", "other"] { try stage.write("one", to: name) }
        stage.watch.watch([key, second])
        try stage.write("two", to: "other")
        try stage.write("two", to: "another")
        try stage.move("another", to: "other")
        try stage.delete("other")
        #expect(stage.toldNow().isEmpty)
        try stage.write("two", to: "second")
        #expect(stage.toldNow() == [[second]])
        try stage.write("three", to: "key")
        try stage.write("three", to: "second")
        #expect(stage.toldNow() == [[key, second]])
    }

    @Test("other paths take the place of those before, with what was still to be told of them")
    func otherPaths() throws {
        for name in ["a", "b"] {
            try stage.makeDirectory(name)
            try stage.write("one", to: "\(name)/key")
        }
        let (old, new) = (stage.path("a/key"), stage.path("b/key"))
        stage.watch.watch([old])
        let watches = try stage.kernelWatches()
        try stage.write("two", to: "a/key")
        stage.pass(.milliseconds(50))
        stage.watch.watch([new])
        #expect(stage.toldNow().isEmpty)
        try stage.write("three", to: "a/key")
        #expect(stage.toldNow().isEmpty)
        try stage.write("two", to: "b/key")
        #expect(stage.toldNow() == [[new]])
        #expect(try stage.kernelWatches() == watches, "those of the old path ended")
    }

    @Test("wakes a loop that sleeps")
    func realClock() throws {
        try stage.write("one", to: "key")
        let loop = try EventLoop()
        var told: [Set<String>] = []
        let watch = FileWatch(loop: loop) { told.append($0) }
        watch.watch([key])
        try stage.write("two", to: "key")
        while told.isEmpty { loop.runOnce() }
        #expect(told == [[key]])
        watch.close()
    }

    private func watchKey() throws {
        try stage.write("one", to: "key")
        stage.watch.watch([key])
    }
}
