import Glibc
import Testing
import pushload

extension EndToEnd.Deliveries {
    /// A hundred requests in flight and 100 ms per answer: the delivery takes at least one minute.
    private static var slowGateway: TestbedSettings {
        var settings = TestbedSettings()
        settings.capacity = 1_000
        settings.gateway.streams = 100
        settings.gateway.delayMilliseconds = 100
        return settings
    }

    @Test func `top shows rates, pauses and resumes a delivery with p, and restores the terminal`()
        async throws
    {
        guard TmuxTerminal.isThere else { return }
        let count = 60_000
        try await withTestbed(Self.slowGateway) { testbed in
            try await testbed.createApp()
            try await testbed.startEngine()
            try await testbed.importSubscribers(SyntheticSubscribers(count))
            let delivery = try await testbed.submit()
            try await withTerminal(of: testbed) { terminal in
                try await terminal.type(line: words(testbed))
                try await terminal.shows("an account and its rate") { lines in
                    let row = lines.first { $0.contains("#") && $0.contains(" working ") }
                    return (row?.firstMatch(of: #/ working +([0-9.]+) /#)).flatMap { Double($0.1) }
                        .flatMap { $0 > 0 ? $0 : nil }
                }
                #expect(try await terminal.modes() == TmuxTerminal.Modes(isAlternate: true, hasCursor: false))
                for columns in [80, 90, 100, 120] {
                    try await terminal.resize(columns: columns, rows: 30)
                    try await terminal.shows("the important columns in \(columns) columns") { lines in
                        let important = [
                            ["ACCOUNT", "STATE", "PER SECOND", "PENDING", "LAST REASON"],
                            ["DELIVERY", "STATE", "PROGRESS", "FAILED", "PER SECOND", "TIME LEFT"],
                        ]
                        return important.allSatisfy { words in
                            lines.contains { line in words.allSatisfy { line.contains($0) } }
                        } ? lines : nil
                    }
                }

                try await terminal.press("p")
                try await terminal.shows("the delivery to be paused") { lines in
                    lines.first { $0.contains("Synthetic") && $0.contains(" paused ") }
                }
                try await testbed.master("nothing to be out") { $0.unrecorded == 0 ? $0 : nil }
                let paused = try await testbed.show(delivery)
                #expect(paused.state == "paused" && paused.counts.pending > 0)
                // Meanwhile the engine does other work that does not reach this gateway.
                var document = DeliveryText()
                document.target = #"{"userKeys": ["\#(SyntheticSubscribers(count).userKey(1))"]}"#
                try await testbed.settle(try await testbed.submit(document))
                #expect(try await testbed.show(delivery).counts == paused.counts)

                try await terminal.press("p")
                try await testbed.wait(for: delivery, "it to continue") {
                    $0.state == "inProgress" && $0.counts.sent > paused.counts.sent
                }
                try await terminal.shows("it to continue") { lines in
                    lines.first { $0.contains(" inProgress ") }
                }
                try await terminal.press("q")
                try await expectRestored(terminal, status: 0)
            }
        }
    }

    @Test func `top waits for an absent master, adapts to the terminal's size, and obeys signals`()
        async throws
    {
        guard TmuxTerminal.isThere else { return }
        try await withTestbed { testbed in
            try await testbed.createService()
            try await testbed.startEngine()
            try await withTerminal(of: testbed) { terminal in
                try await terminal.type(line: words(testbed))
                try await terminal.shows("the master") { $0.first { $0.hasPrefix("running, process ") } }
                try await testbed.stopEngine()
                try await terminal.shows("that none runs") { $0.first { $0.hasPrefix("no master runs") } }
                try await testbed.startEngine()
                try await terminal.shows("the next one") { $0.first { $0.hasPrefix("running, process ") } }

                try await terminal.resize(columns: 50, rows: 12)
                try await terminal.shows("the last line where it belongs") { lines in
                    lines.count >= 12 && lines[11].hasPrefix("j/k select") ? lines : nil
                }
                try await terminal.press("C-c")
                try await expectRestored(terminal, status: 128 + SIGINT)

                let pid = testbed.folder.file("top.pid")
                try await terminal.type(
                    line: "sh -c 'echo $$ >\(pid); exec \(words(testbed))'")
                try await terminal.shows("the master again") {
                    $0.first { $0.hasPrefix("running, process ") }
                }
                let number = Folder.text(pid).split(separator: "\n").first.flatMap { Int32($0) }
                kill(try #require(number), SIGTERM)
                try await expectRestored(terminal, status: 128 + SIGTERM)
            }
        }
    }

    private func withTerminal(
        of testbed: Testbed, _ story: (TmuxTerminal) async throws -> Void
    ) async throws {
        let terminal = try await TmuxTerminal(in: testbed.folder, columns: 170, rows: 30)
        do { try await story(terminal) } catch {
            await terminal.close()
            throw error
        }
        await terminal.close()
    }

    private func words(_ testbed: Testbed) -> String {
        "\(testbed.programs.pushmta) --config \(testbed.folder.file("serverConf.xml")) top --interval 0.5"
    }

    /// Expects that the shell's screen, cursor and line editing are restored.
    private func expectRestored(_ terminal: TmuxTerminal, status: Int32) async throws {
        try await Waiting.until("the shell's own screen") {
            try await terminal.modes() == TmuxTerminal.Modes(isAlternate: false, hasCursor: true) ? () : nil
        }
        try await terminal.type(line: "echo ended $?")
        // Input that is typed before the shell returns appears above its prompt.
        try await terminal.shows("how it ended") { lines in
            lines.contains { $0.hasSuffix("ended \(status)") } ? () : nil
        }
        let settings = try await terminal.settings()
        for flag in ["icanon", "echo", "iexten", "ixon", "icrnl"] {
            #expect(settings.contains(flag), "\(settings)")
        }
        try await terminal.type(line: "clear")
    }
}
