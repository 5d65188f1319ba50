import Testing
import pushload

extension EndToEnd.Chaos {
    @Test(
        arguments: TestbedSettings.StoreEngine.allCases.filter { $0 == .sqlite || DatabaseServer.isInstalled }
    )
    func `the API's data matches what devices did while the service was being killed`(
        engine: TestbedSettings.StoreEngine
    ) async throws {
        // `pushload fleet` runs the same scenario for longer. The seeds differ in which app uses UUIDs.
        let scenario = try FleetScenario.with {
            $0.seed = engine == .sqlite ? 20_261_123 : 20_261_124
            ($0.devices, $0.kills, $0.store) = (400, 3, engine)
        }
        try await expectThatAllHolds(in: scenario) { report in
            #expect(report.reports.unknown > 0 && report.reports.malformed > 0 && report.reports.repeated > 0)
            Self.expectThatTheJudgeSees(report)
        }
    }

    /// Takes a report on a run without faults, and changes one value at a time.
    private static func expectThatTheJudgeSees(_ report: FleetReport) {
        func broken(_ change: (inout FleetReport) -> Void) -> [String] {
            var report = report
            change(&report)
            return report.findings.filter { !$0.holds }.map(\.what)
        }
        let delivery = report.chapters[0].name
        #expect(
            broken { $0.chapters[0].shown.apps[0].clicked += 1 } == [
                "\(delivery): sent, received and clicked match the records of the devices"
            ])
        #expect(
            broken { $0.chapters[0].shown.minutes[0].received += 1 } == [
                "\(delivery): the figures by minute and by kind of device add up to the totals"
            ])
        #expect(
            broken { $0.chapters[0].shown.counts.pending = 1 } == [
                "\(delivery): the expected devices were targeted, and no message is left"
            ])
        #expect(
            broken { $0.registry.different = 1 } == [
                "exactly the devices that received 200 are registered, each with its latest data"
            ])
        #expect(
            broken { $0.service.apps[0].valid -= 1 } == ["the service's statistics match its devices"])
        #expect(broken { $0.people.wrong = 1 } == ["each user key finds its devices"])
        #expect(
            broken { $0.toLeftTokens[Testbed.androidApp] = ["dead"] } == [
                "a reinstalled device receives nothing through its old token"
            ])
        #expect(
            broken { $0.chapters[0].doubled += 10_000 } == [
                "repeated arrivals ≤ messages held by killed children, and each message counts once"
            ])
        #expect(
            broken { $0.sentIDs.removeFirst() } == [
                "every accepted single message is sent with the id from the answer"
            ])
        #expect(
            broken { $0.countedReports.unknown += 1 } == [
                "reports since the last start are counted correctly"
            ])
        #expect(
            broken { $0.kills -= 1 }.contains(
                "every kill was carried out, and every request followed the protocol"))
    }
}
