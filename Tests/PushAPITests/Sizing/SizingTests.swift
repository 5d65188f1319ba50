import Foundation
import GatewayAPNs
import GatewayFCM
import PushAPI
import PushConfig
import PushModel
import TestSupport
import Testing

/// Tests the required size of an installation, which is calculated from settings and measured costs.
@Suite struct SizingTests {
    private func size(
        _ rate: Int, _ roundTripMilliseconds: Int, streams: Int? = nil, cores: Int = 2,
        connector: ConnectorName = .iosHTTP2, _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> SizingView {
        var settings = ServerConfiguration()
        change(&settings)
        return try Sizing(
            rate: rate, roundTripMilliseconds: roundTripMilliseconds, streams: streams, cores: cores,
            connector: connector, settings: settings
        ).result()
    }

    private func refusal(_ body: () throws -> SizingView) -> String {
        do { return "sized: \(try body())" } catch { return "\(error)" }
    }

    private func changes(_ view: SizingView) -> [String: String] {
        Dictionary(uniqueKeysWithValues: view.changes.map { ($0.setting, "\($0.from) to \($0.to)") })
    }

    @Test func `the number of connections follows from rate, round-trip time and streams`() throws {
        let view = try size(40_000, 80)
        // 40 000 × 0.080 s / 0.9 = 3 556 simultaneous requests, on connections of 1 000 streams.
        #expect(view.requestsAtOnce == 3_556 && view.streams == 1_000)
        // 3 556 / 2 children / 1 000 = 1.8
        #expect(view.children == 2 && view.connectionsPerChild == 2)
        // 40 000 × (0.080 + 0.003 / 2 + 0.0015) s / 0.9 / 2 children / half of a child's capacity = 3 689.
        #expect(
            changes(view) == [
                "nmac/iosHTTP2/@connectionsPerChild": "1 to 2",
                "mta/child/@maxWaitingMessages": "2000 to 3689",
            ])
        // At present 2 children × 2 000 / 2 × 0.9 / 0.083 s, and afterwards 2 × 3 689 / 2 × 0.9 / 0.083 s.
        #expect(view.limitNow == .init(factor: .room, perSecond: 21_686))
        #expect(view.isEnough && view.limit == .init(factor: .room, perSecond: 40_001))
        #expect(view.childBytes == MeasuredCosts.childBytes + 3_689 * MeasuredCosts.waitingMessageBytes)
        #expect(view.memoryBytes == MeasuredCosts.masterBytes + 2 * view.childBytes)
    }

    @Test func `sufficient settings are not changed`() throws {
        let view = try size(10_000, 50) { $0.mta.child.maxWaitingMessages = 20_000 }
        #expect(view.changes.isEmpty && view.isEnough && view.connectionsPerChild == 1)
        #expect(view.factors.allSatisfy { $0.perSecond == $0.perSecondNow })
        #expect(view.limit == view.limitNow)
    }

    @Test func `with the proposed settings in place, nothing more is proposed`() throws {
        for (rate, rtt) in [(1, 1), (5_000, 20), (90_000, 200), (500_000, 10), (1_500_000, 400)] {
            let view = try size(rate, rtt, cores: 64)
            let again = try size(rate, rtt, cores: 64) { settings in
                settings.mta.master.maxSpareServers = value("mta/master/@maxSpareServers", of: view) ?? 2
                settings.mta.child.maxWaitingMessages =
                    value("mta/child/@maxWaitingMessages", of: view) ?? 2_000
                settings.nmac.iosHTTP2.connectionsPerChild =
                    value("nmac/iosHTTP2/@connectionsPerChild", of: view) ?? 1
            }
            #expect(again.changes.isEmpty, "\(rate) \(rtt)")
            let carried = again.factors.filter { [.requests, .room, .children].contains($0.name) }
            #expect(carried.allSatisfy { ($0.perSecondNow ?? 0) >= rate }, "\(rate) \(rtt)")
        }
    }

    private func value(_ setting: String, of view: SizingView) -> Int? {
        view.changes.first { $0.setting == setting }.flatMap { Int($0.to) }
    }

    @Test func `a high rate needs more children, and more cores than the machine has`() throws {
        let view = try size(2_000_000, 20, cores: 2)
        // 2 000 000 / 544 662 = 3.7
        #expect(view.children == 4 && changes(view)["mta/master/@maxSpareServers"] == "2 to 4")
        #expect(view.coresNeeded > 2 && !view.isEnough)
        #expect(view.limit.factor == .store)
        // 1 core × 0.7 / 1.24 µs = 564 516
        let small = try size(560_000, 1, cores: 1) { $0.store.provider = .postgreSQL }
        #expect(small.factors.first { $0.name == .cpu }?.perSecond == 564_516)
        #expect(small.limit == .init(factor: .store, perSecond: 238_000))
    }

    @Test func `the size for FCM depends on requests instead of connections, and on a quota`() throws {
        let view = try size(30_000, 100, connector: .androidPushConnectorV2)
        // 30 000 × 0.1 s / 0.9 = 3 334 simultaneous requests. A child may have 1 000 of them.
        #expect(view.requestsAtOnce == 3_334 && view.children == 4 && view.streams == 100)
        #expect(changes(view)["mta/child/@maxGCMConnectPerChild"] == "8 to 834")
        #expect(view.connectionsPerChild == 9)
        // 600 000 per minute
        #expect(view.limit == .init(factor: .provider, perSecond: 600_000 / 60) && !view.isEnough)
        #expect(view.factors.last?.settings == ["nmac/fcm/@messagesPerMinute"])
        let unlimited = try size(30_000, 100, connector: .androidPushConnectorV2) {
            $0.nmac.fcm.messagesPerMinute = 0
        }
        #expect(unlimited.isEnough)
        // A limit of each account must be raised, too.
        let limited = try size(30_000, 100, connector: .androidPushConnectorV2) {
            $0.mta.child.maxGCMConnectPerAccount = 4
        }
        #expect(changes(limited)["mta/child/@maxGCMConnectPerChild"] == "8 to 834")
        #expect(changes(limited)["mta/child/@maxGCMConnectPerAccount"] == "4 to 834")
    }

    @Test func `outcomes wait longer if they are committed to PostgreSQL`() throws {
        let view = try size(20_000, 20) { $0.store.provider = .postgreSQL }
        // 20 000 × (0.020 + 0.040 / 2 + 0.0015) s / 0.9 / 2 children / half of a child's capacity = 922.3
        #expect(view.changes.isEmpty && view.limitNow == .init(factor: .room, perSecond: 43_373))
    }

    @Test func `the number of streams is the one that the engine uses`() throws {
        // 3 556 / 2 children / 100 = 17.8
        #expect(try size(40_000, 80, streams: 100).connectionsPerChild == 18)
        #expect(try size(40_000, 80, streams: 5_000).streams == 1_000)
    }

    @Test func `a load that no settings can carry is refused`() throws {
        #expect(
            refusal { try size(100, 30_000) }.contains(
                "longer than the time for which the engine waits for an answer, 30 s"))
        #expect(refusal { try size(10_000_000, 20_000) }.contains("which no settings of one host allow"))
        #expect(refusal { try size(1, 1, connector: .ios) }.contains("no measurements for connector ios"))
    }

    @Test func `the costs match those on the page of measurements`() throws {
        let page = try String(contentsOf: Repository.file("Docs/Inside/Measurements.md"), encoding: .utf8)
        let section = page.components(separatedBy: "## Sizing\n").last?.components(separatedBy: "\n## ").first
        func row(_ what: String, _ figures: String...) -> String {
            "| \(([what] + figures).joined(separator: " | ")) |\n"
        }
        let (apns, fcm) = (MeasuredCosts.apns, MeasuredCosts.fcm)
        for text in [
            row("CPU of a message, master", "\(apns.masterMicroseconds) µs", "\(fcm.masterMicroseconds) µs"),
            row("CPU of a message, child", "\(apns.childMicroseconds) µs", "\(fcm.childMicroseconds) µs"),
            row(
                "one child sends", "\(Numerals.grouped(apns.childPerSecond))/s",
                "\(Numerals.grouped(fcm.childPerSecond))/s"),
            row("a store in a file records", "\(Numerals.grouped(MeasuredCosts.storePerSecond(.sqlite)))/s"),
            row("PostgreSQL records", "\(Numerals.grouped(MeasuredCosts.storePerSecond(.postgreSQL)))/s"),
            row("peak memory, master", "\(MeasuredCosts.masterBytes / 1_000_000) MB"),
            row("peak memory, child", "\(MeasuredCosts.childBytes / 1_000_000) MB"),
            row(
                "… more for each message of its capacity", "\(MeasuredCosts.waitingMessageBytes) bytes"),
            row("commit of a group of outcomes", "\(MeasuredCosts.commitMilliseconds) ms"),
            row("share of the possible requests that is under way", "\(MeasuredCosts.windowShare)"),
        ] {
            #expect(section?.contains(text) == true, "missing: \(text)")
        }
    }
}
