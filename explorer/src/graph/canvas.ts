/** The picture of the graph, in WebGL. Loaded with sigma when the page is opened. */

import Graph from "graphology";
import Sigma from "sigma";
import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering";
import type { EdgeDisplayData, NodeDisplayData } from "sigma/types";
import { faded, lookOf } from "./looks.ts";
import type { Links, Network } from "./model.ts";
import { DashedArrows, DashedEdges, RingNodes } from "./programs.ts";

/** What the picture needs beside the network. Colours are of nodes, by place. */
export interface Look {
  dark: boolean;
  colours: string[];
  edgeName: (type: string, subtype: string) => string;
}

export interface Events {
  hover: (node: number | undefined) => void;
  select: (node: number | undefined) => void;
  open: (node: number) => void;
}

const CURRENT = new Set(["active", "pending_embed"]);
const LABEL = 46;
const MANY = 5000;

/** One graph in one element. */
export class Picture {
  private readonly sigma: Sigma;
  private graph = new Graph({ type: "directed", multi: true });
  private net?: Network;
  private links?: Links;
  private look?: Look;
  private selected?: number;
  private near = new Set<number>();
  /** The labels of this frame: left, middle and width. */
  private written: [number, number, number][] = [];
  /** The memory that the walk began with. */
  private start?: number;

  constructor(
    private readonly element: HTMLElement,
    events: Events,
  ) {
    this.sigma = new Sigma(this.graph, element, {
      allowInvalidContainer: true,
      defaultEdgeType: "line",
      defaultNodeType: "circle",
      edgeProgramClasses: { line: DashedEdges as never, arrow: DashedArrows as never },
      nodeProgramClasses: { ring: RingNodes },
      minEdgeThickness: 1,
      minCameraRatio: 0.02,
      maxCameraRatio: 2,
      labelDensity: 1,
      labelGridCellSize: 180,
      labelRenderedSizeThreshold: 5.5,
      labelFont: getComputedStyle(element).fontFamily,
      labelSize: 12,
      edgeLabelFont: getComputedStyle(element).fontFamily,
      edgeLabelSize: 11,
      edgeLabelColor: { attribute: "color" },
      zIndex: true,
      stagePadding: 28,
      nodeReducer: (key, data) => this.reducedNode(Number(key), data),
      edgeReducer: (key, data) => this.reducedEdge(Number(key), data),
      defaultDrawNodeLabel: this.label,
      defaultDrawNodeHover: this.hovered,
    });
    const mouse = this.sigma;
    mouse.on("beforeRender", () => {
      this.written = [];
    });
    mouse.on("enterNode", ({ node }) => {
      element.classList.add("over");
      events.hover(Number(node));
    });
    mouse.on("leaveNode", () => {
      element.classList.remove("over");
      events.hover(undefined);
    });
    mouse.on("clickNode", ({ node }) => events.select(Number(node)));
    mouse.on("clickStage", () => events.select(undefined));
    mouse.on("doubleClickNode", ({ node, preventSigmaDefault }) => {
      preventSigmaDefault();
      events.open(Number(node));
    });
  }

  /** Show a network. The camera returns to the whole of it. */
  show(net: Network, links: Links, look: Look): void {
    this.net = net;
    this.links = links;
    this.look = look;
    this.selected = undefined;
    this.near.clear();
    this.start = net.steps.some(Boolean) ? net.steps.indexOf(0) : undefined;
    const graph = new Graph({ type: "directed", multi: true });
    const size = this.nodeSize();
    for (let node = 0; node < net.ids.length; node++) {
      graph.addNode(String(node), {
        x: net.x[node]!,
        y: net.y[node]!,
        size: size * (1 + Math.log1p(links.degree[node]!) / 5),
        type: CURRENT.has(net.statuses[node]!) ? "circle" : "ring",
      });
    }
    for (let edge = 0; edge < net.sources.length; edge++) {
      graph.addEdgeWithKey(String(edge), String(net.sources[edge]!), String(net.targets[edge]!), {});
    }
    this.graph = graph;
    this.sigma.setGraph(graph);
    this.lighten();
    this.fit(0);
  }

  /** Take over filters and colours, with the same nodes in the same places. */
  restyle(links: Links, look: Look): void {
    this.links = links;
    this.look = look;
    this.lighten();
    this.mark(this.selected);
  }

  /** Mark a node and its neighbours; with `follow` the camera goes there if it is out of sight. */
  mark(node: number | undefined, follow = false): void {
    this.selected = node;
    this.near = new Set(node === undefined ? [] : this.links!.at(node).map((each) => each.other));
    this.sigma.setSetting("renderEdgeLabels", node !== undefined && this.near.size <= 24);
    this.sigma.refresh({ skipIndexation: true });
    if (node !== undefined && follow) this.follow(node);
  }

  private follow(node: number): void {
    const data = this.sigma.getNodeDisplayData(String(node));
    if (!data) return;
    const place = this.sigma.framedGraphToViewport(data);
    const { width, height } = this.sigma.getDimensions();
    const away = Math.min(width, height) / 5;
    const inside = place.x > away && place.y > away && place.x < width - away && place.y < height - away;
    const camera = this.sigma.getCamera();
    const ratio = Math.min(camera.ratio, this.net!.ids.length > 300 ? 0.4 : 1);
    if (!inside || ratio < camera.ratio) {
      void camera.animate({ x: data.x, y: data.y, ratio }, { duration: this.duration(250) });
    }
  }

  zoom(factor: number): void {
    const camera = this.sigma.getCamera();
    void camera.animatedZoom({ factor: 1 / factor, duration: this.duration(180) });
  }

  fit(duration = 250): void {
    void this.sigma.getCamera().animate({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }, { duration: this.duration(duration) });
  }

  /** The node nearest to the middle of what is in sight. */
  central(): number | undefined {
    const middle = this.sigma.getCamera();
    let best: number | undefined;
    let least = Number.POSITIVE_INFINITY;
    this.graph.forEachNode((key) => {
      const data = this.sigma.getNodeDisplayData(key)!;
      const away = Math.hypot(data.x - middle.x, data.y - middle.y) / (1 + this.links!.degree[Number(key)]!);
      if (away < least) {
        least = away;
        best = Number(key);
      }
    });
    return best;
  }

  /** Where a node is on the element, in pixels. */
  place(node: number): { x: number; y: number } | undefined {
    const data = this.sigma.getNodeDisplayData(String(node));
    return data && this.sigma.framedGraphToViewport(data);
  }

  resize(): void {
    this.sigma.resize();
    this.sigma.refresh({ skipIndexation: true });
  }

  kill(): void {
    this.sigma.kill();
  }

  /** Without edges a camera moves smoothly over any number of nodes. */
  private lighten(): void {
    this.sigma.setSetting("hideEdgesOnMove", this.links!.count > MANY);
    this.sigma.setSetting("hideLabelsOnMove", this.links!.count > MANY);
  }

  private duration(wanted: number): number {
    return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : wanted;
  }

  private nodeSize(): number {
    const count = this.net!.ids.length;
    const small = Math.min(1, Math.max(0.5, Math.min(this.element.clientWidth, this.element.clientHeight) / 650));
    return small * (count < 60 ? 8 : count < 400 ? 5.5 : count < 2500 ? 3.6 : 2.2);
  }

  private reducedNode(node: number, data: object): Partial<NodeDisplayData> {
    const colour = this.look!.colours[node]!;
    const base = data as NodeDisplayData;
    if (this.selected === undefined) {
      const highlighted = node === this.start;
      return { ...base, color: colour, label: this.text(node), highlighted, forceLabel: highlighted, zIndex: +highlighted };
    }
    if (node === this.selected) {
      const size = Math.max(base.size * 1.5, 7);
      return { ...base, color: colour, label: this.text(node), size, zIndex: 2, highlighted: true, forceLabel: true };
    }
    if (this.near.has(node)) {
      const forceLabel = this.near.size <= 14;
      return { ...base, color: colour, label: this.text(node), size: Math.max(base.size, 4.5), zIndex: 1, forceLabel };
    }
    return { ...base, color: this.look!.dark ? "#3b4252" : "#d3d8e0", label: null, zIndex: 0 };
  }

  private reducedEdge(edge: number, data: object): Partial<EdgeDisplayData> {
    const { net, links, look } = this;
    if (!links!.visible[edge]) return { hidden: true };
    const type = net!.type_names[net!.types[edge]!]!;
    const known = lookOf(type);
    const marked = net!.sources[edge]! === this.selected || net!.targets[edge]! === this.selected;
    const alpha = marked ? 1 : this.selected === undefined ? this.density() : Math.min(0.1, this.density() / 3);
    const width = 0.5 + net!.weights[edge]! * (this.net!.ids.length > 2500 && !marked ? 0.5 : 1.5) + (marked ? 0.8 : 0);
    const shown = {
      ...data,
      color: faded(look!.dark ? known.dark : known.light, alpha),
      size: width,
      type: known.arrow && (marked || (this.selected === undefined && links!.count < 4000)) ? "arrow" : "line",
      label: marked && known.arrow ? look!.edgeName(type, net!.subtypes[edge]!) : null,
      forceLabel: marked && known.arrow,
      zIndex: marked ? 1 : 0,
      dash: known.dash,
    };
    return shown as Partial<EdgeDisplayData>;
  }

  /** Take the place of a label, if no label of this frame has it. */
  private free(left: number, middle: number, width: number): boolean {
    const over = this.written.some(([x, y, w]) => Math.abs(y - middle) < 16 && left < x + w + 6 && x < left + width + 6);
    if (!over) this.written.push([left, middle, width]);
    return !over;
  }

  /** Opacity of an edge: of few edges each is seen, of many only where they meet. */
  private density(): number {
    const { count } = this.links!;
    return count < 300 ? 0.85 : count < 2000 ? 0.55 : count < 8000 ? 0.32 : count < 25000 ? 0.16 : 0.1;
  }

  private text(node: number): string {
    const label = this.net!.labels[node]!;
    // By characters: half of an emoji is none.
    return label.length > LABEL ? `${[...label].slice(0, LABEL - 1).join("").trimEnd()}…` : label;
  }

  // Below: drawn by sigma on a canvas in two dimensions.

  private readonly label: NodeLabelDrawingFunction = (context, data, settings) => {
    if (!data.label || (data as { highlighted?: boolean }).highlighted) return;
    context.font = `${settings.labelSize}px ${settings.labelFont}`;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = this.look!.dark ? "rgba(15,18,25,.85)" : "rgba(255,255,255,.9)";
    context.fillStyle = this.look!.dark ? "#e5e9f0" : "#1f2733";
    // Beside the node, on the side with room; a label that would cover another one is left out.
    const width = context.measureText(data.label).width;
    const sides = [data.x + data.size + 4, data.x - data.size - 4 - width];
    const left = sides.find((side) => side > 0 && side + width < this.element.clientWidth && this.free(side, data.y, width));
    if (left === undefined) return;
    context.strokeText(data.label, left, data.y + 4);
    context.fillText(data.label, left, data.y + 4);
  };

  private readonly hovered: NodeHoverDrawingFunction = (context, data, settings) => {
    const dark = this.look!.dark;
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    context.beginPath();
    context.arc(data.x, data.y, data.size + 4, 0, Math.PI * 2);
    context.strokeStyle = dark ? "#e5e9f0" : "#1f2733";
    context.lineWidth = 2;
    context.stroke();
    if (!data.label) return;
    const width = context.measureText(data.label).width;
    const after = data.x + data.size + 8;
    const left = after + width + 14 < this.element.clientWidth ? after : Math.max(4, data.x - data.size - 22 - width);
    context.beginPath();
    context.roundRect(left, data.y - 12, width + 14, 24, 6);
    context.fillStyle = dark ? "#252b38" : "#ffffff";
    context.shadowColor = "rgba(0,0,0,.3)";
    context.shadowBlur = 8;
    context.fill();
    context.shadowBlur = 0;
    context.fillStyle = dark ? "#e5e9f0" : "#1f2733";
    context.fillText(data.label, left + 7, data.y + 4);
  };
}
