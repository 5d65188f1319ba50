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

    private func rows(of app: String) async throws -> (columns: [String], rows: ArraySlice<[String]>) {
        let export = try await testbed.succeed(
            ["subscribers", "export", "--app", app], within: .seconds(600))
        var rows = CommaSeparated.rows(of: Array(export.output.utf8))[...]
        guard let columns = rows.popFirst(), columns.prefix(2) == ["registrationToken", "userKey"] else {
            throw LoadError(.unreadable(what: "subscribers export", why: "its first line names no columns"))
        }
        return (columns, rows)
    }

    private func compareHonest(_ app: String) async throws {
        let (columns, rows) = try await rows(of: app)
        let isAndroid = app == FuzzCorpus.honestApps[1]
        var expected: [String: DeviceForm] = [:]
        for index in run.report.registered where (index % 2 == 1) == isAndroid {
            let form = run.corpus.honestForm(index)
            expected[form.token] = form
        }
        let imported = Set(scenario.imported(into: app))
        var found = 0
        for row in rows where !imported.contains(row[0]) {
            run.report.registry.stored += 1
            guard row.count == columns.count, let form = expected[row[0]] else {
                run.report.registry.strange += 1
                continue
            }
            found += 1
            let parameters = Dictionary(
                zip(columns, row).dropFirst(2).map { ($0.0, $0.1) }, uniquingKeysWith: { $1 })
            let isSame =
                form.userKey == row[1] && form.parameters.allSatisfy { parameters[$0.name] == $0.value }
            if !isSame { run.report.registry.different += 1 }
        }
        run.report.registry.missing += expected.count - found
    }

    private func compareMutated(_ app: String) async throws {
        let imported = Set(scenario.imported(into: app))
        for row in try await rows(of: app).rows where !imported.contains(row[0]) {
            run.report.registry.mutated += 1
            if !run.tokens.contains(row[0].hashValue) { run.report.registry.strange += 1 }
        }
    }
}
