package import PushModel
package import PushStore
package import PushWire
internal import Synchronization

/// Registers a device from the form that its SDK sends. Lives as long as its process serves devices.
///
/// **Promises.** When it answers that the device is registered, that is on disk. Nobody's registration waits
/// for another one's but in the order of the writer. What cannot be taken now is refused before anything is
/// written, as ``PushWire/RegistrationRefusal/busy``.
/// **Neighbours.** `RegistrationReader` says what a request may be, `RegistrationWriter` what becomes of it.
package final class RegisterDevice: Sendable {
    private let catalogue: Catalogue
    private let writer: WriteService
    private let clock: OperationsClock
    private let reads = BlockingReads()
    private let apps = Mutex<[AppName: KnownApp]>([:])

    private struct AppName: Hashable {
        var platform: Platform
        var integrationKey: String
    }
    private struct KnownApp {
        var id: AppID
        var parameters: [ParameterDeclaration]
        var read: MonotonicTime
    }

    /// How long a change of an app may take to be seen.
    private static let appSeconds: Int64 = 1
    /// Of names that are in use; more are no honest ones.
    private static let mostApps = 10_000

    /// - Parameter writer: of the process that serves devices.
    package init(_ operations: Operations, writer: WriteService) {
        catalogue = operations.store.catalogue
        clock = operations.clock
        self.writer = writer
    }

    /// - Parameter body: the form.
    /// - Returns: nil: the device is registered.
    nonisolated(nonsending) package func perform(
        body: [UInt8], platform: Platform
    ) async -> RegistrationRefusal? {
        do throws(RegistrationRefusal) {
            let registration = try RegistrationReader.read(body, platform: platform)
            try await register(registration, platform)
            return nil
        } catch {
            return error
        }
    }

    nonisolated(nonsending) private func register(
        _ registration: DeviceRegistration, _ platform: Platform
    ) async throws(RegistrationRefusal) {
        let name = AppName(platform: platform, integrationKey: registration.integrationKey)
        let app = try await app(name)
        let parameters =
            try registration.parameters.map { given throws(RegistrationRefusal) in
                try ParameterDeclaration.checked(given, against: app.parameters)
            }
        let record = RegistrationRecord(
            app: app.id, token: registration.token, userKey: registration.userKey,
            parametersJSON: parameters.flatMap(RegistrationParameters.json),
            saysParameters: parameters != nil, device: registration.device, at: clock.moment())
        let end: RegistrationEnd
        do throws(WriteService.Failure) { end = try await writer.register(record) } catch {
            throw error.isBusy ? .busy : .failed
        }
        guard end != .noApp else {
            apps.withLock { $0[name] = nil }
            throw .unknownKey
        }
    }

    nonisolated(nonsending) private func app(_ name: AppName) async throws(RegistrationRefusal) -> KnownApp {
        let now = clock.monotonic()
        if let known = apps.withLock({ $0[name] }),
            now < known.read.advanced(bySeconds: Self.appSeconds)
        {
            return known
        }
        let catalogue = catalogue
        let found: App?
        do {
            found = try await reads.run {
                try catalogue.app(integrationKey: name.integrationKey, platform: name.platform)
            }
        } catch {
            throw .failed
        }
        guard let found else {
            apps.withLock { $0[name] = nil }
            throw .unknownKey
        }
        let known = KnownApp(id: found.id, parameters: found.settings.parameters, read: now)
        apps.withLock { apps in
            if apps.count >= Self.mostApps { apps.removeAll() }
            apps[name] = known
        }
        return known
    }
}

extension WriteService.Failure {
    /// Whether it is worth coming again: nothing is wrong with what was asked.
    var isBusy: Bool {
        switch self {
        case .full, .ended: true
        case .refused(let error): error.isOfStore
        case .setAside, .unknown: false
        }
    }
}
