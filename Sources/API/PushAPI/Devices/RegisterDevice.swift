internal import Dispatch
package import PushModel
package import PushStore
package import PushWire
internal import Synchronization

/// Runs reads of the store for asynchronous tasks, which must not block the threads that all tasks share. The
/// reads use their own threads; the store's number of readers limits how many reads are active.
struct BlockingReads: Sendable {
    private let queue = DispatchQueue(label: "reads for devices", attributes: .concurrent)

    nonisolated(nonsending) func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}

/// The operations that devices request. They are performed as the requests arrive.
package struct DeviceServices: Sendable {
    package let registrations: RegisterDevice
    package let hits: RecordHit

    package init(registrations: RegisterDevice, hits: RecordHit) {
        self.registrations = registrations
        self.hits = hits
    }
}

/// Registers a device from the form that its SDK sends, and carries out a device's request to end its
/// registration or to opt out. One instance exists as long as the process serves devices.
///
/// **Promises.** A registration is on disk before it is answered as successful. A registration waits for
/// other registrations only in the queue of the writer. A registration that cannot be accepted now is refused
/// before anything is written, as ``PushWire/RegistrationRefusal/busy``.
/// **Neighbours.** `RegistrationForm` defines what a request may contain; `RegistrationWriter` defines what a
/// registration changes.
package final class RegisterDevice: Sendable {
    private let catalogue: Catalogue
    private let writer: WriteService
    private let clock: OperationsClock
    private let reads = BlockingReads()
    private let apps: RegistrationCache
    private let undeclared = Mutex(UndeclaredParameterReports())
    private let unknownKeys: UnknownKeyReports
    private let report: @Sendable (String) -> Void

    private typealias AppName = RegistrationCache.AppName
    private typealias KnownApp = RegistrationCache.KnownApp

    /// - Parameters:
    ///   - writer: The write service of the process that serves devices.
    ///   - report: Receives lines for the log, at most one per hour for each app and one about unknown keys.
    package init(
        _ operations: Operations, writer: WriteService,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        catalogue = operations.store.catalogue
        clock = operations.clock
        apps = operations.registrationCache
        self.writer = writer
        self.report = report
        unknownKeys = UnknownKeyReports(writer, clock, report: report)
    }

    /// For each app, the number of registrations since this process started that contained parameters which
    /// the app does not declare.
    package var undeclaredParameters: [(app: String, registrations: Int)] {
        undeclared.withLock(\.totals)
    }

    /// - Parameter body: The form that the device's SDK sent.
    /// - Returns: `nil` if the device is registered.
    nonisolated(nonsending) package func perform(
        body: [UInt8], platform: Platform
    ) async -> RegistrationRefusal? {
        var note: DeviceWatch.Note?
        do throws(RegistrationRefusal) {
            let registration = try read(body, platform)
            note = apps.devices.note(of: registration, platform)
            let app = try await register(registration, platform)
            note?(app, nil)
            return nil
        } catch {
            note?(nil, error)
            return error
        }
    }

    private func read(_ body: [UInt8], _ platform: Platform) throws(RegistrationRefusal) -> DeviceRegistration
    {
        do throws(RegistrationRefusal) { return try RegistrationForm.read(body, platform: platform) } catch {
            apps.devices.note(of: nil, platform)?(nil, error)
            throw error
        }
    }

    /// Carries out a request that is not a registration.
    /// - Parameter body: A form or a JSON object.
    /// - Returns: `nil` if the request was carried out. A token that is not registered is not an error.
    nonisolated(nonsending) package func perform(
        _ purpose: RegistrationRecord.Purpose, body: [UInt8], platform: Platform
    ) async -> RegistrationRefusal? {
        var note = apps.devices.note(of: nil, platform, for: purpose)
        do throws(RegistrationRefusal) {
            let request = try RegistrationForm.readRequest(body, platform: platform)
            note = apps.devices.note(of: request, platform, for: purpose)
            let name = AppName(platform: platform, integrationKey: request.integrationKey)
            let app = try await app(name)
            var record = RegistrationRecord(
                app: app.id, token: request.token, userKey: request.userKey, parametersJSON: nil,
                replacesParameters: false, device: request.device, at: clock.moment())
            record.purpose = purpose
            try await write(record, app, name)
            note?(app.name, nil)
            return nil
        } catch {
            note?(nil, error)
            return error
        }
    }

    /// Registers a device without an asynchronous task, if the app is known.
    /// - Parameter then: Called once, possibly on another thread. If this method returns `false`, nothing was
    ///   done, and `then` is not called.
    package func performAtOnce(
        body: [UInt8], platform: Platform, then: @escaping @Sendable (RegistrationRefusal?) -> Void
    ) -> Bool {
        var note: DeviceWatch.Note?
        do throws(RegistrationRefusal) {
            let registration = try read(body, platform)
            let name = AppName(platform: platform, integrationKey: registration.integrationKey)
            guard let app = apps.app(name, at: clock.monotonic()) else { return false }
            note = apps.devices.note(of: registration, platform)
            let record = try record(of: registration, with: app)
            let undeclared = record.undeclaredNames
            writer.register(record) { [self, note] result in
                let refusal = refusal(result, undeclared, app, name)
                note?(app.name, refusal)
                then(refusal)
            }
        } catch {
            note?(nil, error)
            then(error)
        }
        return true
    }

    /// - Returns: The name of the app.
    nonisolated(nonsending) private func register(
        _ registration: DeviceRegistration, _ platform: Platform
    ) async throws(RegistrationRefusal) -> String {
        let name = AppName(platform: platform, integrationKey: registration.integrationKey)
        let app = try await app(name)
        try await write(try record(of: registration, with: app), app, name)
        return app.name
    }

    nonisolated(nonsending) private func write(
        _ record: RegistrationRecord, _ app: KnownApp, _ name: AppName
    ) async throws(RegistrationRefusal) {
        let result: Result<RegistrationEnd, WriteService.Failure>
        do throws(WriteService.Failure) { result = .success(try await writer.register(record)) } catch {
            result = .failure(error)
        }
        if let refusal = refusal(result, record.undeclaredNames, app, name) { throw refusal }
    }

    private func record(
        of registration: DeviceRegistration, with app: KnownApp
    ) throws(RegistrationRefusal) -> RegistrationRecord {
        var record = RegistrationRecord(
            app: app.id, token: registration.token, userKey: registration.userKey, parametersJSON: nil,
            replacesParameters: false, device: registration.device, at: clock.moment())
        record.liftsOptOut = registration.liftsOptOut
        if app.countsKeys { record.countedKey = registration.integrationKey }
        guard let given = registration.parameters else { return record }
        let checked = try ParameterDeclaration.checked(given, against: app.parameters)
        if checked.undeclared.isEmpty {
            record.replacesParameters = true
            record.parametersJSON = ParameterText.json(checked.kept)
        } else {
            // An unknown name may be a misspelling, so the value of a parameter that appears to be missing
            // must not be erased.
            record.undeclaredNames = checked.undeclared
            record.parameterChanges =
                checked.kept + checked.emptied.map { RegistrationParameter(name: $0, value: "") }
        }
        return record
    }

    /// Returns `nil` if the device was registered.
    private func refusal(
        _ result: Result<RegistrationEnd, WriteService.Failure>, _ undeclared: [String],
        _ app: KnownApp, _ name: AppName
    ) -> RegistrationRefusal? {
        switch result {
        case .success(.noApp):
            apps.forget(name)
            return .unknownKey
        case .success:
            if !undeclared.isEmpty { note(undeclared, of: app) }
            return nil
        case .failure(let error): return error.isBusy ? .busy : .failed
        }
    }

    private func note(_ names: [String], of app: KnownApp) {
        let now = clock.monotonic()
        let line = undeclared.withLock { $0.note(names, app: app.id, named: app.name, at: now) }
        if let line { report(line) }
    }

    nonisolated(nonsending) private func app(_ name: AppName) async throws(RegistrationRefusal) -> KnownApp {
        let now = clock.monotonic()
        if let known = apps.app(name, at: now) { return known }
        let changes = apps.changes
        let catalogue = catalogue
        let other: (platform: Platform, page: String) =
            name.platform == .ios ? (.android, RegistrationPage.android) : (.ios, RegistrationPage.ios)
        let found: (app: App?, isOfOther: Bool)
        do {
            found = try await reads.run { () throws -> (app: App?, isOfOther: Bool) in
                let key = name.integrationKey
                if let app = try catalogue.app(integrationKey: key, platform: name.platform) {
                    return (app, false)
                }
                return (nil, try catalogue.app(integrationKey: key, platform: other.platform) != nil)
            }
        } catch {
            throw OperationError(error).kind == .unavailable ? .busy : .failed
        }
        guard let app = found.app else {
            apps.forget(name)
            unknownKeys.note(name.integrationKey, name.platform)
            throw found.isOfOther ? .otherPlatform(page: other.page) : .unknownKey
        }
        let known = KnownApp(
            id: app.id, name: app.name, parameters: app.settings.parameters,
            countsKeys: app.settings.formerIntegrationKey != nil, read: now)
        apps.keep(known, as: name, unlessChangedSince: changes)
        return known
    }
}

extension WriteService.Failure {
    /// Whether a later attempt may succeed because nothing is wrong with the request.
    var isBusy: Bool {
        switch self {
        case .full, .ended: true
        case .refused(let error): OperationError(error).kind == .unavailable
        case .setAside, .unknown: false
        }
    }
}
