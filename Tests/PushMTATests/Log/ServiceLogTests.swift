import Foundation
import Glibc
import Logging
import PushConfig
import PushMaster
import PushModel
import PushSystem
import TestSupport
import Testing
import pushmta

struct ServiceLogTests {
    private static func withPipe(_ story: (FullPipe, ServiceLog) throws -> Void) throws {
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipe = try FullPipe(in: folder)
        let descriptor = unsafe open(pipe.path, O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        // Never closed: the log's thread has it for the life of the process.
        try story(pipe, try ServiceLog(descriptor: descriptor))
    }

    /// What the pipe brings until it has brought these words.
    private static func text(of pipe: FullPipe, until words: String) -> String {
        let end = ContinuousClock.now + Patience.limit
        var text = ""
        while !text.contains(words), ContinuousClock.now < end {
            text += pipe.read()
            usleep(1_000)
        }
        return text
    }

    @Test func `who logs does not wait for a reader, and the reader learns how many lines were dropped`()
        throws
    {
        try Self.withPipe { pipe, log in
            let logger = log.logger(level: .info)
            for number in 0..<20_000 { logger.info("line \(number)") }
            logger.critical("the worst")
            let first = Self.text(of: pipe, until: "the worst")
            #expect(first.contains("line 0\n") && first.contains("info pushmta: [PushMTATests] line 1\n"))
            #expect(first.contains("lines were dropped: nobody read the log fast enough\n"))
            #expect(!first.contains("line 19999\n"))
            log.line("pushmta: the last")
            #expect(Self.text(of: pipe, until: "the last").hasSuffix("pushmta: the last\n"))
        }
    }

    @Test func `the end waits for what is left to be written, and not for a reader who reads nothing`() throws
    {
        try Self.withPipe { pipe, log in
            log.line("unread")
            let begin = Clocks.monotonic()
            log.finish()
            #expect(Clocks.monotonic().milliseconds(since: begin) < 20_000)
            #expect(Self.text(of: pipe, until: "unread").contains("unread"))
        }
        try Self.withPipe { pipe, log in
            _ = pipe.read()
            for number in 0..<100 { log.line("line \(number)") }
            log.finish()
            #expect(pipe.read().hasSuffix("line 99\n"))
        }
    }
}
