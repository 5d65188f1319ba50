import Foundation
import PushAPI
import PushModel
import PushStore
import Testing

/// Tests waves, a time of day and quiet hours, from the document to the displayed delivery.
struct CalendarSubmissionTests {
    private static func schedule(_ schedule: [String: Any]) -> [String: Any] { ["schedule": schedule] }

    private static var waves: [[String: Any]] {
        [["size": 3], ["after": "30m", "size": 5], ["after": "2h"]]
    }

    @Test func `messages with a future start are shown as waiting until they are sent`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(20)
        let sent = try instance.operations.carryOut(
            try TestInstance.submission(Self.schedule(["waves": Self.waves])))
        #expect(sent.warnings.isEmpty)
        try instance.accept(sent.id)
        let shown = try instance.operations.carryOut(ShowDelivery(id: sent.id))
        let noon = TestInstance.noon.time
        #expect(shown.delivery.counts.sent == 3 && shown.delivery.counts.pending == 17)
        #expect(
            shown.releases == [
                DeliveryRelease(at: noon.advanced(bySeconds: 1_800), count: 5),
                DeliveryRelease(at: noon.advanced(bySeconds: 9_000), count: 12),
            ])
        let read = try JSONDecoder().decode(DeliveryDetails.self, from: JSONEncoder().encode(shown))
        #expect(read.releases == shown.releases)
        _ = try instance.store.held.release(at: WallMoment(noon.advanced(bySeconds: 9_000)))
        #expect(try instance.operations.carryOut(ShowDelivery(id: sent.id)).releases == [])
    }

    @Test func `a dry run shows when the first and the last message would leave`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(20)
        func dryRun(_ schedule: [String: Any]) throws -> DryRunView {
            try instance.operations.carryOut(
                DryRunDelivery(
                    document: try TestInstance.submission(Self.schedule(schedule)).document,
                    documentName: "sale.json"))
        }
        let noon = TestInstance.noon.time
        let found = try dryRun(["waves": Self.waves])
        #expect(found.releases?.map(\.count) == [3, 5, 12] && found.releases?.first?.at == noon)
        #expect(found.lastReleaseAt == noon.advanced(bySeconds: 9_000))
        let start = try dryRun(["waves": Self.waves, "start": "2026-11-21T13:00:00Z"])
        #expect(start.releases?.first?.at == noon.advanced(bySeconds: 3_600))
        let morning = try dryRun(["localTime": "10:00", "timeZone": "UTC"])
        #expect(morning.releases == [DeliveryRelease(at: noon.advanced(bySeconds: 79_200), count: 20)])
        let plain = try dryRun(["validity": "1d"])
        #expect(plain.releases == nil && plain.lastReleaseAt == nil)
    }

    @Test func `a time zone that this machine does not know is refused`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let submission = try TestInstance.submission(
            Self.schedule(["localTime": "10:00", "timeZone": "Nowhere/Atall"]))
        let error = #expect(throws: OperationError.self) { try instance.operations.carryOut(submission) }
        #expect(error?.description.contains("sale.json: schedule.timeZone: ") == true)
    }

    @Test
    func `without a time zone the machine's time zone applies, and is fixed when the delivery is accepted`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let sent = try instance.operations.carryOut(
            try TestInstance.submission(Self.schedule(["localTime": "10:00"])))
        let calendar = try instance.store.deliveries.delivery(sent.id)?.order.schedule.calendar
        #expect(calendar?.timeZone?.isEmpty == false && calendar?.localTime == 36_000)
    }

    @Test func `a validity that ends within a day causes a warning`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let schedule: [String: Any] = ["localTime": "10:00", "timeZone": "UTC", "validity": "12h"]
        let sent = try instance.operations.carryOut(try TestInstance.submission(Self.schedule(schedule)))
        #expect(sent.warnings.contains { $0.hasPrefix("localTime: the validity of 12h is less than a day") })
    }

    @Test(arguments: [("9h", true), ("10h", true), ("11h", false), ("3d", false)])
    func `a validity that is not longer than the quiet hours causes a warning`(
        validity: String, isWarned: Bool
    ) throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        let schedule: [String: Any] = [
            "quietHours": ["from": "22:00", "to": "08:00"], "timeZone": "UTC", "validity": validity,
        ]
        let sent = try instance.operations.carryOut(try TestInstance.submission(Self.schedule(schedule)))
        let expected = "quietHours: the quiet hours last at least as long as the validity of \(validity)"
        #expect(sent.warnings.contains { $0.hasPrefix(expected) } == isWarned)
    }

    @Test func `a last wave that has little time, or falls into quiet hours, causes a warning`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(1)
        func warnings(_ more: [String: Any]) throws -> [String] {
            let schedule = ["waves": Self.waves, "validity": "3h"].merging(more) { $1 }
            return try instance.operations.carryOut(
                try TestInstance.submission(Self.schedule(schedule))
            ).warnings
        }
        #expect(
            try warnings([:]) == [
                "waves: the last wave begins 30m before the end of the validity of 3h; messages that are not sent by then "
                    + "expire"
            ])
        #expect(try warnings(["validity": "4h"]) == [])
        let quiet: [String: Any] = ["quietHours": ["from": "22:00", "to": "08:00"], "timeZone": "UTC"]
        let found = try warnings(quiet.merging(["validity": "12h"]) { $1 })
        #expect(
            found.contains {
                $0.hasPrefix(
                    "quietHours: the quiet hours last at least as long as the last wave's validity of 570m")
            })
    }

    @Test func `a proof is sent immediately, regardless of the calendar`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        let document = try TestInstance.submission(
            Self.schedule(["waves": Self.waves, "localTime": "10:00", "timeZone": "UTC"])
        ).document
        let sent = try instance.operations.carryOut(
            ProofDelivery(document: document, documentName: "sale.json", userKeys: ["user1"]))
        #expect(try instance.store.deliveries.delivery(sent.id)?.order.schedule.calendar == nil)
    }
}
