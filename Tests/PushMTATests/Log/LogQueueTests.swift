import Testing
import pushmta

struct LogQueueTests {
    @Test func `lines leave the queue once, in the order of their arrival`() {
        var queue = LogQueue()
        queue.append("one", isUrgent: false)
        queue.append("two", isUrgent: true)
        #expect(!queue.isEmpty)
        #expect(queue.take() == [.line("one"), .line("two")])
        #expect(queue.isEmpty && queue.take().isEmpty)
    }

    @Test func `lines that do not fit are counted, and the count precedes the next line`() {
        var queue = LogQueue()
        for number in 0..<LogQueue.maximumLines + 3 { queue.append("\(number)", isUrgent: false) }
        let first = queue.take()
        #expect(first.count == LogQueue.maximumLines)
        #expect(first.last == .line("\(LogQueue.maximumLines - 1)"))
        queue.append("after", isUrgent: false)
        #expect(queue.take() == [.dropped(3), .line("after")])
        queue.append("later", isUrgent: false)
        #expect(queue.take() == [.line("later")])
    }

    @Test func `an urgent line still fits if an ordinary line does not, up to a limit`() {
        var queue = LogQueue()
        for _ in 0..<LogQueue.maximumLines { queue.append("daily", isUrgent: false) }
        queue.append("daily", isUrgent: false)
        queue.append("urgent", isUrgent: true)
        #expect(queue.take().suffix(2) == [.dropped(1), .line("urgent")])
        for _ in 0..<LogQueue.maximumLines * 4 { queue.append("urgent", isUrgent: true) }
        #expect(queue.take().count < LogQueue.maximumLines * 2)
    }

    @Test func `long lines are limited by their number of bytes`() {
        var queue = LogQueue()
        let line = String(repeating: "x", count: LogQueue.maximumBytes / 4)
        for _ in 0..<6 { queue.append(line, isUrgent: false) }
        #expect(queue.take().count == 4)
        queue.append(String(repeating: "x", count: LogQueue.maximumBytes * 2), isUrgent: true)
        queue.append("short", isUrgent: false)
        #expect(queue.take() == [.dropped(3), .line("short")])
    }

    @Test func `lines that could not be written are reported together with lines that did not fit`() {
        var queue = LogQueue()
        queue.append("lost", isUrgent: false)
        _ = queue.take()
        queue.lose(1)
        queue.append("said", isUrgent: false)
        #expect(queue.take() == [.dropped(1), .line("said")])
    }
}
