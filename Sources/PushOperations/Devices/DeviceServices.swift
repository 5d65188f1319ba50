/// What is done for devices, as their requests come in.
package struct DeviceServices: Sendable {
    package let registrations: RegisterDevice
    package let hits: RecordHit

    package init(registrations: RegisterDevice, hits: RecordHit) {
        self.registrations = registrations
        self.hits = hits
    }
}
