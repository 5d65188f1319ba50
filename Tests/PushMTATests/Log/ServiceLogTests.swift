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
        // The pipe is never closed, because the log's thread uses it until the process ends.
        try story(pipe, try ServiceLog(to: .descriptor(descriptor), format: .text))
    }

    /// Returns the pipe's data up to and including this text.
    private static func text(of pipe: FullPipe, until words: String) -> String {
        let end = ContinuousClock.now + Patience.limit
        var text = ""
        while !text.contains(words), ContinuousClock.now < end {
            text += pipe.read()
            usleep(1_000)
        }
        return text
    }

    @Test func `a logger does not wait for a reader, and the reader receives the number of dropped lines`()
        throws
    {
        try Self.withPipe { pipe, log in
            let logger = log.logger(level: .info)
            for number in 0..<20_000 { logger.info("line \(number)") }
            logger.critical("the worst")
            let first = Self.text(of: pipe, until: "the worst")
            #expect(first.contains(" level=info message=\"line 0\"\n"))
            #expect(first.contains(" level=info message=\"line 1\"\n"))
            #expect(first.contains("lines were dropped: the log was not read fast enough; "))
            #expect(!first.contains("line 19999\""))
            log.failure("the last")
            let last = Self.text(of: pipe, until: "the last")
            #expect(last.hasSuffix(" level=critical message=\"the last\"\n"))
        }
    }

    @Test
    func `the end of the log waits until lines are written, but not for a reader that has stopped reading`()
        throws
    {
        try Self.withPipe { pipe, log in
            log.failure("unread")
            let begin = Clocks.monotonic()
            log.finish()
            #expect(Clocks.monotonic().milliseconds(since: begin) < 20_000)
            #expect(Self.text(of: pipe, until: "unread").contains("unread"))
        }
        try Self.withPipe { pipe, log in
            _ = pipe.read()
            for number in 0..<100 { log.failure("line \(number)") }
            log.finish()
            #expect(pipe.read().hasSuffix("\"line 99\"\n"))
        }
    }

    @Test func `a repeated line is logged once, and the number of repetitions is logged at the end`() throws {
        try Self.withPipe { pipe, log in
            _ = pipe.read()
            let logger = log.logger(level: .info)
            for _ in 0..<5 { logger.warning("the same", metadata: ["delivery": "7"]) }
            logger.warning("the same", metadata: ["delivery": "8"])
            logger.warning("another")
            log.finish()
            let lines = pipe.read().split(separator: "\n")
            let times = lines.map { line in String(line.prefix { $0 != " " }) }
            #expect(times.sorted() == times)
            let since = try #require(times.first).replacing("time=", with: "")
            let contents = lines.map { line in String(line.drop { $0 != " " }.dropFirst()) }
            #expect(
                contents == [
                    "level=warning message=\"the same\" delivery=7",
                    "level=warning message=\"the same\" delivery=8",
                    "level=warning message=another",
                    "level=warning message=\"the same\" delivery=7 repeats=4 since=\(since)",
                ])
        }
    }

    @Test func `the level can be changed while loggers are in use`() throws {
        try Self.withPipe { pipe, log in
            _ = pipe.read()
            let logger = log.logger(level: .warning)
            logger.info("unsaid")
            log.setLevel(.info)
            logger.info("said")
            log.setLevel(.error)
            logger.warning("unsaid")
            log.finish()
            #expect(
                pipe.read().split(separator: "\n").map { $0.hasSuffix("level=info message=said") } == [true])
        }
    }
}
