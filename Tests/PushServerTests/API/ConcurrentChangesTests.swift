import Foundation
import Synchronization
import TestSupport
import Testing

/// Tests of concurrent changes to the same object: the result contains each of the changes.
@Suite struct ConcurrentChangesTests {
    /// Sends all changes at the same time, each on its own thread, and waits for the answers.
    private static func patch(_ changes: [(path: String, body: String)], _ caller: APICaller) -> [Int] {
        let statuses = Mutex<[Int]>([])
        for change in changes {
            Thread.detachNewThread {
                let status = (try? caller.ask("PATCH", change.path, change.body).status) ?? 0
                statuses.withLock { $0.append(status) }
            }
        }
        eventually("all are answered") { statuses.withLock(\.count) == changes.count }
        return statuses.withLock(\.self)
    }

    @Test func `concurrent changes to an app do not lose an update`() async throws {
        try await APICaller.with { caller in
            let names = (1...30).map { "v\($0)" }
            let statuses = Self.patch(
                names.map { ("/apps/shop-ios", #"{"variables": [{"name": "\#($0)"}]}"#) }, caller)
            #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses)")
            let app = try caller.ask("GET", "/apps/shop-ios")
            let variables = try #require(app["variables"] as? [[String: Any]]).compactMap {
                $0["name"] as? String
            }
            #expect(Set(variables) == Set(names))
            let audit = try caller.ask("GET", "/audit?limit=1000")
            let lines = try #require(audit["items"] as? [[String: Any]])
            #expect(lines.count { $0["action"] as? String == "app.update" } == names.count)
        }
    }

    @Test func `concurrent changes to a service do not lose an update`() async throws {
        try await APICaller.with { caller in
            for round in 1...10 {
                let changes = [#"{"label": "L\#(round)"}"#, #"{"frequencyCap": "\#(round) in 7d"}"#]
                #expect(Self.patch(changes.map { ("/services/shop", $0) }, caller) == [200, 200])
                let service = try caller.ask("GET", "/services/shop")
                #expect(service["label"] as? String == "L\(round)")
                #expect(service["frequencyCap"] as? String == "\(round) in 7d")
            }
        }
    }
}
