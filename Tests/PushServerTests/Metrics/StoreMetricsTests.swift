import Foundation
import GRDB
import PushModel
import PushStore
import PushWire
import TestSupport
import Testing

/// Tests of the store's values on the metrics page.
@Suite struct StoreMetricsTests {
    @Test func `the metrics count deliveries on hold`() async throws {
        try await WebFixture.with { web in
            let held = try Scrape.value("pushmta_deliveries_held", at: web.address)
            #expect(held == 0)
        }
        let web = try WebFixture()
        defer { web.close() }
        try web.alter(
            "INSERT INTO damaged_delivery (delivery_id, why, since_ms, expires) VALUES (7, 'a row', 0, 0)")
        #expect(try Scrape.value("pushmta_deliveries_held", at: web.address) == 1)
    }

    @Test func `an unreadable store is reported, and the rest of the page is still written`() async throws {
        try await WebFixture.with { web in
            web.engine.say(.running())
            try web.alter("DROP TABLE part_progress")
            let scrape = try Scrape(of: web.address)
            #expect(scrape["pushmta_store_look_failed"] == 1)
            #expect(scrape[#"pushmta_master_state{state="running"}"#] == 1)
            #expect(scrape.samples(of: "pushmta_queue_messages").isEmpty)
        }
    }

    @Test func `a hanging store does not delay the page, which reports the age of its figures`() async throws
    {
        try await WebFixture.with { web in
            #expect(try Scrape.value("pushmta_store_look_failed", at: web.address) == 0)
            // The examination of the store begins with the clock, and then waits while this lock is taken.
            let pages = try web.hanging.withLock { _ in
                try eventually("the page grows old") {
                    (try Scrape(of: web.address)["pushmta_store_look_age_seconds"] ?? 0) > 5
                }
            }
            #expect(pages)
            try await eventually("it is fresh again") {
                (try Scrape(of: web.address)["pushmta_store_look_age_seconds"] ?? 99) < 2
            }
        }
    }

    @Test func `the page reports the age of the master's figures`() async throws {
        try await WebFixture.with { web in
            web.engine.say(.running { $0.ageSeconds = 7.5 })
            let silence = try Scrape.value("pushmta_master_silent_seconds", at: web.address)
            #expect(silence == 7.5)
        }
    }
}

extension WebFixture {
    /// Makes a change that none of our own programs would make.
    func alter(_ sql: String) throws {
        let file = folder.appending(path: "var/pushmta.db").path(percentEncoded: false)
        try StoreFile.open(file).write { try $0.execute(sql: sql) }
    }
}
