import Foundation
import PushStore
import Testing

/// Tests the cost of a change in addition to its own work: hand-offs between threads, and commits.
@Suite struct HandOffTests {
    private static let document =
        #"{"label": "l", "service": "shop", "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#

    /// Returns the number of commits in the store's log: the frames that contain the size of the database
    /// after them.
    private static func commits(in web: WebFixture) throws -> Int {
        let log = try Data(contentsOf: URL(filePath: web.store.path + "-wal"))
        func number(at offset: Int) -> Int { log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        let (head, frameHead, page) = (32, 24, number(at: 8))
        let salt = log[16..<24]
        return stride(from: head, to: log.count - frameHead, by: frameHead + page).count {
            log[$0 + 8..<$0 + 16] == salt && number(at: $0 + 4) > 0
        }
    }

    @Test func `submitting a delivery takes four hand-offs between threads and one commit`() async throws {
        try await APICaller.with { caller in
            // From now on, the token is known, and the instance has its key.
            #expect(try caller.ask("POST", "/deliveries", Self.document).status == 201)
            let before = try Self.commits(in: caller.web)
            let steps = try caller.web.trail.following { () throws in
                #expect(try caller.ask("POST", "/deliveries", Self.document).status == 201)
            }
            #expect(try Self.commits(in: caller.web) == before + 1)
            // The hand-offs go from the loop to a thread that may wait, the writer, the thread for
            // completions, and back to the loop.
            func threads(_ place: String) -> Set<UInt> {
                Set(steps.filter { $0.place == place }.map(\.thread))
            }
            let places = ["request", "caller", "writer", "effects"]
            for place in places { #expect(threads(place).count == 1, "\(place): \(steps)") }
            #expect(places.reduce(into: Set()) { $0.formUnion(threads($1)) }.count == places.count)
            // The thread that prepared the delivery does not wait for the commit.
            // The writer may read its clock once more after the previous delivery.
            let prepared = try #require(steps.firstIndex { $0.place == "caller" })
            let written = try #require(steps[prepared...].firstIndex { $0.place == "writer" })
            #expect(!steps[written...].contains { threads("caller").contains($0.thread) })
            #expect(Set(steps.map(\.thread)).count == places.count)
        }
    }
}
