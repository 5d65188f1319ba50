package import PushTransport
package import PushWire

extension RequestTemplate.Field {
    /// A field that was prepared by PushWire.
    package init(_ field: HeaderField) {
        self =
            field.isSecret
            ? .secret(name: field.name, value: field.value) : .constant(name: field.name, value: field.value)
    }
}
