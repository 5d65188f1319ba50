internal import GatewayKit
package import PushConfig
internal import PushConnectors
package import PushModel
internal import PushStore

/// The requirements of an installation that sends at a given rate, as one account, to a gateway with a given
/// round trip.
///
/// The calculation uses only the settings and ``MeasuredCosts``; it examines nothing else.
package struct Sizing: Sendable {
    private let rate: Int
    private let roundTripMilliseconds: Int
    private let streams: Int
    private let cores: Int
    private let settings: ServerConfiguration
    private let schema = ConnectorCatalogue.settings
    private let costs: MeasuredCosts
    private let window: RequestWindow
    /// The maximum time that the engine waits for an answer, in seconds.
    private let answerSeconds: Int

    /// - Parameters:
    ///   - rate: Messages per second, at least 1.
    ///   - roundTripMilliseconds: The time from a request to its answer, at least 1.
    ///   - streams: The number of streams that the gateway allows on a connection. `nil` means the usual
    ///     number for the connector's gateway.
    ///   - cores: The number of cores of the host.
    ///   - settings: The present settings.
    /// - Throws: If the connector has not been measured.
    package init(
        rate: Int, roundTripMilliseconds: Int, streams: Int? = nil, cores: Int, connector: ConnectorName,
        settings: ServerConfiguration
    ) throws(OperationError) {
        let entry = ConnectorCatalogue.entry(connector)
        guard let entry, let window = entry.window, let costs = MeasuredCosts(connector) else {
            throw OperationError(
                .refused,
                "there are no measurements for connector \(connector.rawValue); measure it with your load")
        }
        (self.rate, self.roundTripMilliseconds, self.cores) = (rate, roundTripMilliseconds, cores)
        (self.costs, self.settings, self.window) = (costs, settings, window)
        self.streams = min(streams ?? window.usualStreams, window.maxStreams)
        answerSeconds = entry.terms(settings).answerSeconds
    }

    /// - Throws: If the engine would give up on every request, or if no settings allow the required number of
    ///   simultaneous requests.
    package func result() throws(OperationError) -> SizingView {
        guard roundTripMilliseconds < answerSeconds * 1_000 else {
            throw OperationError(
                .refused,
                """
                a round trip of \(roundTripMilliseconds) ms is longer than the time for which the engine \
                waits for an answer, \(answerSeconds) s; give a shorter round trip, or raise requestTimeoutSec
                """)
        }
        var children = max(
            settings[keyPath: Self.childrenSetting], Self.ceiling(Double(rate) / Double(costs.childPerSecond))
        )
        while schema.allows(children, for: Self.childrenSetting) {
            if let proposal = proposal(children) { return view(of: proposal, children) }
            children += 1
        }
        throw OperationError(
            .refused,
            """
            \(Numerals.grouped(Self.ceiling(neededAtOnce))) requests would be in progress at once, which no \
            settings of one host allow; distribute the rate among hosts
            """)
    }

    private static var childrenSetting: RequestWindow.Setting { \.mta.master.maxSpareServers }
    private static var roomSetting: RequestWindow.Setting { \.mta.child.maxWaitingMessages }

    static func ceiling(_ value: Double) -> Int { max(1, Int(value.rounded(.up))) }

    // MARK: What is needed

    private var neededAtOnce: Double {
        Double(rate) * Double(roundTripMilliseconds) / 1_000 / MeasuredCosts.windowShare
    }

    /// The time from a request to the commit of its outcome. Outcomes wait for each other, on average for
    /// half of the longest wait.
    private var heldMilliseconds: Double {
        Double(roundTripMilliseconds) + Double(batching.milliseconds) / 2 + MeasuredCosts.commitMilliseconds
    }

    private var batching: WriteQueue.BatchingPolicy {
        settings.store.provider == .sqlite ? .inAFile : .byAServer
    }

    /// An account can use at most half of a child's room.
    private static let roomShare = 0.5

    /// Returns the settings with the values that this number of children needs. Sufficient values are not
    /// changed. `nil` if a setting does not allow the needed value.
    private func proposal(_ children: Int) -> ServerConfiguration? {
        var proposal = settings
        var isAllowed = true
        func raise(_ setting: RequestWindow.Setting, to value: Double) {
            let value = Self.ceiling(value)
            guard proposal[keyPath: setting] < value else { return }
            isAllowed = isAllowed && schema.allows(value, for: setting)
            proposal[keyPath: setting] = value
        }
        let share = 1 / Double(children)
        raise(Self.childrenSetting, to: Double(children))
        for requests in [window.requests, limitOfAccount].compactMap(\.self) {
            raise(requests, to: neededAtOnce * share)
        }
        if let connections = window.connections {
            raise(connections, to: neededAtOnce * share / Double(streams))
        }
        let held = Double(rate) * share * heldMilliseconds / 1_000
        raise(Self.roomSetting, to: held / MeasuredCosts.windowShare / Self.roomShare)
        return isAllowed ? proposal : nil
    }

    // MARK: What settings carry

    /// The setting that limits the requests of one account in a child; `nil` if it is not used.
    private var limitOfAccount: RequestWindow.Setting? {
        window.requestsOfAccount.flatMap { settings[keyPath: $0] > 0 ? $0 : nil }
    }

    /// Returns the maximum number of simultaneous requests of one child.
    private func atOnce(_ settings: ServerConfiguration) -> Int {
        if let requests = window.requests {
            let limits = [requests, limitOfAccount].compactMap(\.self).map { settings[keyPath: $0] }
            return limits.min() ?? settings[keyPath: requests]
        }
        return streams * (window.connections.map { settings[keyPath: $0] } ?? 1)
    }

    /// Returns the maximum rate for each factor, in messages per second; `nil` for a factor without a limit.
    private func rates(_ settings: ServerConfiguration) -> [SizingView.Factor.Name: Int?] {
        let children = Double(settings[keyPath: Self.childrenSetting])
        let room = Double(settings[keyPath: Self.roomSetting]) * Self.roomShare
        let share = children * MeasuredCosts.windowShare * 1_000
        let cpu = Double(cores) * MeasuredCosts.coreShare * 1e6 / costs.microseconds
        return [
            .requests: Int(share * Double(atOnce(settings)) / Double(roundTripMilliseconds)),
            .room: Int(share * room / heldMilliseconds),
            .children: Int(children) * costs.childPerSecond,
            .cpu: Int(cpu),
            .store: MeasuredCosts.storePerSecond(settings.store.provider),
            .provider: window.quota.flatMap { quota in
                settings[keyPath: quota] > 0 ? settings[keyPath: quota] / 60 : nil
            },
        ]
    }

    private func paths(of factor: SizingView.Factor.Name) -> [String] {
        let settings: [RequestWindow.Setting?] =
            switch factor {
            case .requests: [Self.childrenSetting, window.connections, window.requests, limitOfAccount]
            case .room: [Self.childrenSetting, Self.roomSetting]
            case .children: [Self.childrenSetting]
            case .provider: [window.quota]
            case .cpu, .store: []
            }
        return settings.compactMap { $0 }.map { schema.path(of: $0) }
    }

    private func view(of proposal: ServerConfiguration, _ children: Int) -> SizingView {
        let (now, then) = (rates(settings), rates(proposal))
        let factors = SizingView.Factor.Name.allCases.map { name in
            SizingView.Factor(
                name: name, settings: paths(of: name), perSecondNow: now[name] ?? nil,
                perSecond: then[name] ?? nil)
        }
        let changes = schema.keys.compactMap { key -> SizingView.Change? in
            guard key.differs(settings, proposal) else { return nil }
            return SizingView.Change(
                setting: key.path, from: key.text(settings), to: key.text(proposal),
                needsRestart: key.isReadAtStartOnly)
        }
        let room = proposal[keyPath: Self.roomSetting]
        let connections =
            window.connections.map { proposal[keyPath: $0] }
            ?? Self.ceiling(Double(atOnce(proposal)) / Double(streams))
        let limit = Self.narrowest(then)
        let childBytes = MeasuredCosts.childBytes + room * MeasuredCosts.waitingMessageBytes
        return SizingView(
            perSecond: rate, roundTripMilliseconds: roundTripMilliseconds,
            store: settings.store.provider.rawValue, children: children, connectionsPerChild: connections,
            streams: streams, requestsAtOnce: Self.ceiling(neededAtOnce), cores: cores,
            coresNeeded: Double(rate) * costs.microseconds / 1e6 / MeasuredCosts.coreShare,
            masterBytes: MeasuredCosts.masterBytes, childBytes: childBytes,
            memoryBytes: MeasuredCosts.masterBytes + children * childBytes, factors: factors,
            limitNow: Self.narrowest(now), limit: limit, isEnough: limit.perSecond >= rate, changes: changes)
    }

    private static func narrowest(_ rates: [SizingView.Factor.Name: Int?]) -> SizingView.Limit {
        let known = SizingView.Factor.Name.allCases.compactMap { name in
            (rates[name] ?? nil).map { SizingView.Limit(factor: name, perSecond: $0) }
        }
        return known.min { $0.perSecond < $1.perSecond } ?? SizingView.Limit(factor: .cpu, perSecond: 0)
    }
}
