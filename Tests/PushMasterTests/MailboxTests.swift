import CPushShims
import Foundation
import Glibc
import PushMaster
import Synchronization
import TestSupport
import Testing

@Suite struct MailboxTests {
    private struct Numbered: Sendable { var sender: Int, number: Int }

    @Test func `many threads send, and one thread receives everything, in order for each sender`() throws {
        let mailbox = try Mailbox<Numbered>()
        let (senders, each) = (8, 5_000)
        let threads = (0..<senders).map { sender in
            OtherThread { for number in 0..<each { mailbox.send(Numbered(sender: sender, number: number)) } }
        }
        var next = [Int](repeating: 0, count: senders)
        try eventually("everything arrived") {
            for message in mailbox.wait(atMostMilliseconds: 100) {
                try #require(message.number == next[message.sender])
                next[message.sender] += 1
            }
            return next == [Int](repeating: each, count: senders)
        }
        for thread in threads { #expect(thread.hasEnded()) }
        #expect(mailbox.take().isEmpty)
    }

    @Test func `messages that were sent before a wait end it immediately and are received once`() throws {
        let mailbox = try Mailbox<Int>()
        mailbox.send(1)
        mailbox.send(2)
        #expect(mailbox.wait(atMostMilliseconds: nil) == [1, 2])
        #expect(mailbox.wait(atMostMilliseconds: 0).isEmpty)
    }

    @Test func `the first message wakes a receiver that sleeps without a time limit`() throws {
        let mailbox = try Mailbox<Int>()
        let received = Mutex<[Int]>([])
        let sleeper = OtherThread {
            var all: [Int] = []
            while all.count < 3 { all += mailbox.wait(atMostMilliseconds: nil) }
            received.withLock { $0 = all }
        }
        for number in 1...3 { mailbox.send(number) }
        #expect(sleeper.hasEnded())
        #expect(received.withLock { $0 } == [1, 2, 3])
    }

    @Test func `a wait without a message ends when its time has passed`() throws {
        #expect(try Mailbox<Int>().wait(atMostMilliseconds: 1).isEmpty)
    }

    @Test func `the descriptor is readable while messages are waiting, and is closed on exec`() throws {
        let mailbox = try Mailbox<Int>()
        func isReadable() -> Bool {
            var item = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&item, 1, 0) == 1
        }
        #expect(!isReadable())
        mailbox.send(1)
        #expect(isReadable())
        _ = mailbox.take()
        #expect(!isReadable())
        #expect(fcntl(mailbox.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
}
