internal import FoundationEssentials

/// What the service shows after a run, beside what it answered.
struct FuzzComparison {
    let run: FuzzRun
    let testbed: Testbed
    let scenario: FuzzScenario

    func compare() async throws {
        // Connections that were closed are closed there, too, in a moment.
        let allowed = (run.report.early?.openFiles ?? 0) + FuzzReport.slackFiles
        let end = ContinuousClock.now + .seconds(30)
        repeat {
            run.report.late = run.figures()
            try await Task.sleep(for: Waiting.longestNap)
        } while (run.report.late?.openFiles ?? 0) > allowed && ContinuousClock.now < end
        for app in FuzzCorpus.honestApps { try await compareHonest(app) }
        for app in FuzzCorpus.fuzzedApps { try await compareMutated(app) }
        let shown = try await testbed.show(run.corpus.honest[0].delivery)
        run.report.shownReceived = shown.counts.received
    }

    private func compareHonest(_ app: String) async throws {
        let isAndroid = app == FuzzCorpus.honestApps[1]
        var expected: [String: FleetDevice.Registration] = [:]
        for index in run.report.registered where (index % 2 == 1) == isAndroid {
            let form = run.corpus.honestForm(index)
            expected[form.token] = FleetDevice.Registration(
                token: form.token, userKey: form.userKey,
                parameters: Dictionary(form.parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
        }
        let imported = Set(scenario.imported(into: app))
        var subscribers = try await testbed.subscribers(of: app)
        subscribers.rows.removeAll { imported.contains($0[0]) }
        run.report.registry.compare(expected, with: subscribers)
    }

    private func compareMutated(_ app: String) async throws {
        let imported = Set(scenario.imported(into: app))
        for row in try await testbed.subscribers(of: app).rows where !imported.contains(row[0]) {
            run.report.mutated += 1
            if !run.tokens.contains(row[0].hashValue) { run.report.registry.strange += 1 }
        }
    }
}
