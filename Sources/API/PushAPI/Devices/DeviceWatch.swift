internal import Dispatch
internal import PushModel
internal import PushStore
internal import PushWire
internal import Synchronization

/// The recent requests of devices to this process, for rehearsals. They are kept in memory only while a
/// rehearsal looks at them, because they contain tokens and user keys.
///
/// **Promises.** While no rehearsal looks, a request costs one read of a flag. At most ``maxSeen`` requests
/// are kept. If the last look was ``keptSeconds`` ago, all of them are forgotten within as many seconds.
final class DeviceWatch: Sendable {
    static let maxSeen = 1_000
    static let keptSeconds: Int64 = 10

    private struct State {
        var seen: [SeenDevice] = []
        /// The number of the next request.
        var next: Int64 = 1
        var lastLook = MonotonicTime(nanoseconds: 0)
    }
    private let isOn = Atomic(false)
    private let state = Mutex(State())
    private let expiry = DispatchQueue(label: "watch of devices")

    /// Returns the requests since an earlier look, and keeps those that follow.
    /// - Parameter number: ``SeenDevices/next`` of the earlier look; 0 if there was none, and for requests
    ///   from now on.
    func look(from number: Int64, _ clock: OperationsClock) -> SeenDevices {
        let (found, isNew) = state.withLock { state in
            state.lastLook = clock.monotonic()
            let isNew = !isOn.exchange(true, ordering: .relaxed)
            let seen = number > 0 ? state.seen.filter { $0.number >= number } : []
            return (SeenDevices(next: state.next, seen: seen), isNew)
        }
        if isNew { expire(clock) }
        return found
    }

    private func expire(_ clock: OperationsClock) {
        expiry.asyncAfter(deadline: .now() + .seconds(Int(Self.keptSeconds))) { [weak self] in
            guard let self else { return }
            let isOver = state.withLock { state in
                guard clock.monotonic() >= state.lastLook.advanced(bySeconds: Self.keptSeconds) else {
                    return false
                }
                isOn.store(false, ordering: .relaxed)
                state.seen = []
                return true
            }
            if !isOver { expire(clock) }
        }
    }

    private func add(_ device: SeenDevice) {
        state.withLock { state in
            guard isOn.load(ordering: .relaxed) else { return }
            var device = device
            device.number = state.next
            state.next += 1
            if state.seen.count >= Self.maxSeen { state.seen.removeFirst(Self.maxSeen / 2) }
            state.seen.append(device)
        }
    }

    /// A function that notes the end of one request: the app's name, or the refusal.
    typealias Note = @Sendable (_ app: String?, _ refusal: RegistrationRefusal?) -> Void

    /// - Parameter registration: `nil` if the request could not be read.
    /// - Returns: `nil` while no rehearsal looks.
    func note(
        of registration: DeviceRegistration?, _ platform: Platform,
        for purpose: RegistrationRecord.Purpose = .register
    ) -> Note? {
        guard isOn.load(ordering: .relaxed) else { return nil }
        return { [self] app, refusal in
            var device = SeenDevice()
            device.purpose = SeenDevice.Purpose(purpose)
            device.platform = platform.rawValue
            if let registration {
                device.integrationKey = String(
                    printable: Array(registration.integrationKey.utf8), atMost: Self.keyCharacters)
                (device.token, device.userKey) = (registration.token, registration.userKey)
                device.model = registration.device.model
            }
            if let refusal {
                device.refusal = "\(refusal)"
                device.isUnknownKey = refusal == .unknownKey
            } else {
                device.app = app
            }
            add(device)
        }
    }

    private static let keyCharacters = 100

    /// Notes a report to `/r/` that was not recorded.
    func note(ignoredReport reason: String) {
        guard isOn.load(ordering: .relaxed) else { return }
        var device = SeenDevice()
        device.ignoredReport = reason
        add(device)
    }
}

/// One request of a device, while a rehearsal looks.
package struct SeenDevice: View, Equatable {
    package enum Purpose: String, Word, Codable {
        case register, unregister, optOut

        init(_ purpose: RegistrationRecord.Purpose) {
            self =
                switch purpose {
                case .register: .register
                case .unregister: .unregister
                case .optOut: .optOut
                }
        }
    }

    package var number: Int64 = 0
    package var purpose = Purpose.register
    package var platform = ""
    /// The name of the app that the device's request concerns; `nil` if it was refused.
    package var app: String?
    /// `nil` if the request could not be read.
    package var integrationKey: String?
    package var token: String?
    package var userKey: String?
    package var model = ""
    /// The reason why the request was refused.
    package var refusal: String?
    package var isUnknownKey = false
    /// The reason why a report was not recorded; `nil` if the request is not a report.
    package var ignoredReport: String?
}

package struct SeenDevices: View, Equatable {
    /// The number of the next request.
    package var next: Int64
    package var seen: [SeenDevice]
}

/// Returns the recent requests of devices to the running service. Only other processes of the instance
/// request this.
package struct WatchDevices: ShortOperation, UseCase {
    package static let name = "instance.devices"
    package static let operation = Operation(
        .get, "/instance/devices", .admin, "Returns the recent requests of devices.", .immediate,
        isLocal: true)
    package static let members: [Member<Self>] = [
        .query(\.next, "next", "The number after the last request of an earlier answer.", default: 0)
    ]

    private var next: Int64 = 0

    package init() {}
    package init(next: Int64) { self.next = next }

    package func perform(in operations: Operations) -> SeenDevices {
        operations.registrationCache.devices.look(from: next, operations.clock)
    }
}
