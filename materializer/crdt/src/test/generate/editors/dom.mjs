// The part of a browser that editors ask for, before they are loaded.
import { JSDOM } from 'jsdom'

const { window } = new JSDOM('<!doctype html><body></body>', { pretendToBeVisual: true })
globalThis.window = window
globalThis.document = window.document
for (const name of ['Node', 'Element', 'HTMLElement', 'Document', 'DOMParser', 'MutationObserver', 'Event', 'Range', 'Text', 'getSelection', 'Selection',
  'getComputedStyle', 'requestAnimationFrame', 'cancelAnimationFrame', 'innerHeight', 'KeyboardEvent', 'MouseEvent', 'DocumentFragment', 'XMLSerializer', 'navigator']) {
  if (globalThis[name] === undefined) globalThis[name] = window[name]
}
window.Range.prototype.getClientRects = () => []
window.Range.prototype.getBoundingClientRect = () => ({ left: 0, top: 0, right: 0, bottom: 0, width: 0, height: 0 })
window.document.elementFromPoint = () => null
