internal import FoundationEssentials

/// Compares the service's state after a run with the answers that the service gave during the run.
extension FuzzRun {
    func compare() async throws {
        // The server closes its end of a connection a moment after this process has closed the other end.
        let allowed = (report.early?.openFiles ?? 0) + FuzzReport.slackFiles
        let end = ContinuousClock.now + .seconds(30)
        repeat {
            report.late = figures()
            try await Task.sleep(for: Waiting.maxPollInterval)
        } while (report.late?.openFiles ?? 0) > allowed && ContinuousClock.now < end
        for (index, app) in FuzzCorpus.honestApps.enumerated() {
            let known = report.registered.filter { $0 % 2 == index }.map {
                corpus.honestForm($0).registration
            }
            report.registry.compare(known, with: try await registered(in: app))
        }
        for app in FuzzCorpus.fuzzedApps {
            for row in try await registered(in: app).rows {
                report.mutated += 1
                if !tokens.contains(row[0].hashValue) { report.registry.strange += 1 }
            }
        }
        report.shownReceived = try await testbed.show(corpus.honest[0].delivery).counts.received
    }

    /// Returns the subscribers of an app except the imported subscribers.
    private func registered(in app: String) async throws -> (columns: [String], rows: ArraySlice<[String]>) {
        let imported = Set(scenario.imported(into: app))
        var subscribers = try await testbed.subscribers(of: app)
        subscribers.rows.removeAll { imported.contains($0[0]) }
        return subscribers
    }
}

extension DeviceForm {
    fileprivate var registration: FleetDevice.Registration {
        FleetDevice.Registration(
            token: token, userKey: userKey,
            parameters: Dictionary(parameters.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
    }
}

/// Reads the token of a registration from the sent bytes, independently of the engine's reader, which is
/// under test.
enum FormToken {
    /// Returns the forms in which the store may keep the token. A mutated token may look like a token of
    /// either platform, and iOS tokens are kept in lower case.
    static func tokens(of body: ArraySlice<UInt8>) -> [String] {
        let beginning = Array("registrationToken=".utf8)
        return body.split(separator: UInt8(ascii: "&")).flatMap { field in
            // Names may be percent-encoded, too.
            let decoded = decoded(field)
            guard decoded.starts(with: beginning) else { return [String]() }
            let token = String(decoding: decoded.dropFirst(beginning.count), as: UTF8.self)
            // Older apps send the description of an iOS token's data: `<aabbccdd 00112233>`.
            let described = token.lowercased().filter { !"<> ".contains($0) }
            return [token, token.lowercased(), described]
        }
    }

    private static func decoded(_ field: ArraySlice<UInt8>) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), field)
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }
}
