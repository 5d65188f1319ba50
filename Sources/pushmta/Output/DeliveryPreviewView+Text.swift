internal import PushModel
internal import PushOperations

extension DeliveryPreviewView {
    /// Device by device.
    var lines: [String] {
        var lines: [String] = []
        for device in devices {
            if !lines.isEmpty { lines.append("") }
            lines += device.lines
        }
        return lines
    }
}

extension DeliveryPreviewView.Device {
    fileprivate var lines: [String] {
        var fields = [
            (name: "app", value: app), (name: "token", value: registrationToken),
            (name: "user key", value: userKey), (name: "state", value: state),
        ]
        if let language { fields.append((name: "language", value: language)) }
        fields += headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        fields += message?.fields ?? []
        if let fault { fields.append(("not sent", fault)) }
        return FieldList(fields).lines
    }
}
